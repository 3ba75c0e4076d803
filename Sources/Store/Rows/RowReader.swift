import GRDB
import Model

/// Reads the columns of a row one after the other, in the order of the SELECT that made it.
///
/// Looking a column up by name costs a search for each; a download has ninety.
@safe
struct RowReader {
    @unsafe
    private enum Source {
        case row(Row)
        case statement(SQLiteStatement)
    }

    // The statement outlives each reader of it: readers are made and used up within one step.
    private let source: Source
    private var index = 0

    init(_ row: Row) {
        unsafe source = .row(row)
    }

    /// Reads the row at which a statement stands. It must not outlive the step.
    init(_ statement: SQLiteStatement) {
        unsafe source = .statement(statement)
    }

    mutating func next<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type = Value.self
    ) throws -> Value {
        guard let value: Value = optional() else {
            throw StoreError.unreadable("NULL in column \(index - 1) of a row")
        }
        return value
    }

    mutating func optional<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type = Value.self
    ) -> Value? {
        defer { index += 1 }
        switch unsafe source {
        case .row(let row): return row[index]
        case .statement(let statement):
            return unsafe Value.fromStatement(statement, atUncheckedIndex: CInt(index))
        }
    }

    mutating func time() throws -> Timestamp { Timestamp(milliseconds: try next()) }

    mutating func optionalTime() -> Timestamp? { optional(Int64.self).map(Timestamp.init(milliseconds:)) }

    /// A column that holds one of an enum's words.
    mutating func word<Word: RawRepresentable<String>>(_ type: Word.Type = Word.self) throws -> Word {
        let text: String = try next()
        guard let word = Word(rawValue: text) else { throw StoreError.unreadable("\(Word.self) '\(text)'") }
        return word
    }

    mutating func optionalWord<Word: RawRepresentable<String>>(_ type: Word.Type = Word.self) throws -> Word? {
        guard let text: String = optional() else { return nil }
        guard let word = Word(rawValue: text) else { throw StoreError.unreadable("\(Word.self) '\(text)'") }
        return word
    }

    mutating func id<Kind: IdentifierKind>(_ kind: Kind.Type = Kind.self) throws -> Identifier<Kind> {
        let text: String = try next()
        guard let id = Identifier<Kind>(text) else { throw StoreError.unreadable("id '\(text)'") }
        return id
    }
}
