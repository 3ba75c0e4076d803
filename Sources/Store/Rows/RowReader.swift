import GRDB

/// Reads the columns of a row one by one, in the order of the SELECT.
///
/// Columns are read by position: the SELECT was generated from the same declaration. A lookup by name would search for
/// each of the ninety columns of a download.
@safe
struct RowReader: RowCoder {
    @unsafe
    private enum Source {
        case row(Row)
        case statement(SQLiteStatement)
    }

    // The statement outlives the reader, which is used only within one step.
    private let source: Source
    private var index = 0
    /// Whether the columns belong to a part that is nil.
    private var isSkipping = false

    init(_ row: Row) {
        unsafe source = .row(row)
    }

    /// Reads the current row of a statement. The reader must not be used after the next step.
    init(_ statement: SQLiteStatement) {
        unsafe source = .statement(statement)
    }

    var isReading: Bool { true }

    mutating func column<Value: ColumnValue>(_ name: String, _ value: inout Value) throws(StoreError) {
        if isSkipping {
            index += 1
        } else {
            value = try next(name)
        }
    }

    mutating func optional<Part: RowValue>(_ part: inout Part?) throws(StoreError) {
        let wasSkipping = isSkipping
        if isNull { isSkipping = true }
        var value = Part.blank
        try value.columns(&self)
        part = isSkipping ? nil : value
        isSkipping = wasSkipping
    }

    /// The next column of a SELECT that was not generated from a declaration, such as a count.
    mutating func next<Value: ColumnValue>(_ type: Value.Type = Value.self) throws(StoreError) -> Value {
        try next(nil)
    }

    private mutating func next<Value: ColumnValue>(_ name: String?) throws(StoreError) -> Value {
        let stored: Value.Stored? = stored()
        guard let value = Value(stored: stored) else {
            let text = stored.map { "'\($0)'" } ?? "NULL"
            throw .unreadable("\(text) in column \(name ?? "\(index)")")
        }
        index += 1
        return value
    }

    private func stored<Stored: DatabaseValueConvertible & StatementColumnConvertible>() -> Stored? {
        switch unsafe source {
        case .row(let row): row[index]
        case .statement(let statement): unsafe Stored.fromStatement(statement, atUncheckedIndex: CInt(index))
        }
    }

    private var isNull: Bool {
        switch unsafe source {
        case .row(let row): row.hasNull(atIndex: index)
        // SQLite converts types: an integer can be read from a text.
        case .statement(let statement): unsafe Int64.fromStatement(statement, atUncheckedIndex: CInt(index)) == nil
        }
    }
}
