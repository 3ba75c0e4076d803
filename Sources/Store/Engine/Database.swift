/// A connection inside a transaction or a read. One thread at a time uses it.
///
/// Every method throws ``StoreError`` for an error of the database. The texts are those of ``Statement``.
protocol Database: AnyObject {
    /// Calls `body` for each row, until it returns false. The reader is valid during that call only.
    func rows(_ statement: Statement, while body: (inout RowReader) throws -> Bool) throws

    /// Executes a statement that writes, and returns the number of changed rows.
    @discardableResult
    func execute(_ statement: Statement) throws -> Int

    /// Writes a row of a batch, whose values `row` sets one by one. An array of ninety values would cost more.
    ///
    /// An engine may execute it later: at the latest before the next other statement, the beginning or end of a
    /// savepoint, or the commit. An error is then thrown there.
    func write(_ batch: RowBatch, _ row: (inout RowWriter) -> Void) throws

    /// Runs `body`. If it throws, only what it wrote is rolled back.
    func savepoint(_ body: () throws -> Void) throws

    /// A number that changes whenever another connection has committed; nil if that is not known.
    func foreignVersion() throws -> Int64?
}

extension Database {
    @discardableResult
    func execute(_ sql: String, _ values: [any ParameterValue] = []) throws -> Int {
        try execute(Statement(sql, values))
    }

    /// What `read` makes of the first row; nil if there is none.
    func first<Value>(
        _ sql: String,
        _ values: [any ParameterValue] = [],
        _ read: (inout RowReader) throws -> Value
    ) throws -> Value? {
        try first(Statement(sql, values), read)
    }

    func first<Value>(_ statement: Statement, _ read: (inout RowReader) throws -> Value) throws -> Value? {
        var value: Value?
        try rows(statement) { row in
            value = try read(&row)
            return false
        }
        return value
    }

    /// The only column of the first row; nil if it is NULL, or there is no row.
    func first<Value: ColumnValue>(
        _ type: Value.Type,
        _ sql: String,
        _ values: [any ParameterValue] = []
    ) throws -> Value? {
        try first(sql, values) { try $0.next(Value?.self) } ?? nil
    }

    /// What `read` makes of each row.
    func all<Value>(
        _ sql: String,
        _ values: [any ParameterValue] = [],
        _ read: (inout RowReader) throws -> Value
    ) throws -> [Value] {
        try all(Statement(sql, values), read)
    }

    func all<Value>(_ statement: Statement, _ read: (inout RowReader) throws -> Value) throws -> [Value] {
        var all: [Value] = []
        try rows(statement) { row in
            all.append(try read(&row))
            return true
        }
        return all
    }

    /// The only column of each row.
    func all<Value: ColumnValue>(
        _ type: Value.Type,
        _ sql: String,
        _ values: [any ParameterValue] = []
    ) throws -> [Value] {
        try all(sql, values) { try $0.next() }
    }

    /// Whether a SELECT has a row.
    func exists(_ sql: String, _ values: [any ParameterValue] = []) throws -> Bool {
        try exists(Statement(sql, values))
    }

    func exists(_ statement: Statement) throws -> Bool {
        try first(statement) { _ in } != nil
    }

    /// The rows of a SELECT of the columns of `Value`.
    func values<Value: RowValue>(
        _ type: Value.Type = Value.self,
        _ sql: String,
        _ values: [any ParameterValue] = []
    ) throws -> [Value] {
        try all(sql, values) { try Value(&$0) }
    }
}
