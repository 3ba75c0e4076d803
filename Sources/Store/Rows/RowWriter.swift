import GRDB

/// Binds the columns of a row one by one, in the order of the statement's placeholders.
///
/// An array of values would allocate for each of ninety columns. A nil column costs nothing: unbound parameters are
/// NULL.
@safe
struct RowWriter: RowCoder {
    private let statement: SQLiteStatement
    private var index: CInt = 0
    private var failure: CInt?
    /// Whether the columns belong to a part that is nil.
    private var isSkipping = false

    /// - Parameter statement: Must have nothing bound, and must outlive the writer.
    init(_ statement: Statement) {
        statement.setUncheckedArguments(StatementArguments())
        unsafe self.statement = statement.sqliteStatement
    }

    var isReading: Bool { false }

    mutating func column<Value: ColumnValue>(_ name: String, _ value: inout Value) {
        if isSkipping { index += 1 } else { add(value.stored) }
    }

    mutating func optional<Part: RowValue>(_ part: inout Part?) {
        let wasSkipping = isSkipping
        isSkipping = isSkipping || part == nil
        var value = part ?? Part.blank
        value.columns(&self)
        isSkipping = wasSkipping
    }

    /// Binds a value that is not a column, such as one in a condition.
    mutating func add<Value: StatementBinding>(_ value: Value?) {
        index += 1
        guard let value else { return }
        let code = unsafe value.bind(to: statement, at: index)
        if code != 0 { failure = failure ?? code }
    }

    /// - Throws: An error if a value could not be bound, for example because it is too large for SQLite.
    func finish() throws {
        if let failure { throw DatabaseError(resultCode: ResultCode(rawValue: failure)) }
    }
}
