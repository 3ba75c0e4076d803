import GRDB
import Model

/// Reads the columns of a row one after the other, in the order of the SELECT that made it.
///
/// Looking a column up by name costs a search for each; a download has sixty.
struct RowReader {
    private let row: Row
    private var index = 0

    init(_ row: Row) {
        self.row = row
    }

    mutating func next<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type = Value.self
    ) -> Value {
        defer { index += 1 }
        return row[index]
    }

    mutating func optional<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type = Value.self
    ) -> Value? {
        defer { index += 1 }
        return row[index]
    }

    mutating func time() -> Timestamp { Timestamp(milliseconds: next()) }

    mutating func optionalTime() -> Timestamp? { optional(Int64.self).map(Timestamp.init(milliseconds:)) }

    /// A column that holds one of an enum's words.
    mutating func word<Word: RawRepresentable<String>>(_ type: Word.Type = Word.self) throws -> Word {
        let text: String = next()
        guard let word = Word(rawValue: text) else { throw StoreError.unreadable("\(Word.self) '\(text)'") }
        return word
    }

    mutating func optionalWord<Word: RawRepresentable<String>>(_ type: Word.Type = Word.self) throws -> Word? {
        guard let text: String = optional() else { return nil }
        guard let word = Word(rawValue: text) else { throw StoreError.unreadable("\(Word.self) '\(text)'") }
        return word
    }

    mutating func id<Kind: IdentifierKind>(_ kind: Kind.Type = Kind.self) throws -> Identifier<Kind> {
        let text: String = next()
        guard let id = Identifier<Kind>(text) else { throw StoreError.unreadable("id '\(text)'") }
        return id
    }
}
