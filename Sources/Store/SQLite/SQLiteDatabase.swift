import GRDB
import GRDBSQLite

/// A connection to the file. GRDB opens it, prepares statements, and begins and ends transactions; the statements are
/// run here, since a row is then read and written column by column without a copy in between.
final class SQLiteDatabase: Database {
    let connection: GRDB.Database
    /// Statements that were used before, by the portable text.
    private var prepared: [String: GRDB.Statement] = [:]
    /// The most of them. The store has about 300; lists with filters make more.
    private static let mostPrepared = 500
    /// The statements of batches. A look-up by text would hash up to three kilobytes for each row.
    private var batches: [ObjectIdentifier: (batch: RowBatch, statement: GRDB.Statement)] = [:]

    init(_ connection: GRDB.Database) {
        self.connection = connection
    }

    func rows(_ statement: Statement, while body: (inout RowReader) throws -> Bool) throws {
        try withPrepared(statement.sql) { handle in
            try bind(statement.values, to: handle)
            while try step(handle) {
                var reader = RowReader(.sqlite(handle))
                guard try body(&reader) else { return }
            }
        }
    }

    @discardableResult
    func execute(_ statement: Statement) throws -> Int {
        try withPrepared(statement.sql) { handle in
            try bind(statement.values, to: handle)
            return try run(handle)
        }
    }

    func write(_ batch: RowBatch, _ row: (inout RowWriter) -> Void) throws {
        let statement = try statement(of: batch)
        try withExtendedLifetime(statement) {
            let handle = StatementHandle(statement)
            defer { handle.reset() }
            var writer = RowWriter(.sqlite(handle))
            row(&writer)
            if let failure = writer.failure { throw error(failure) }
            guard try run(handle) == 1 || batch.kind != .update else {
                throw StoreError.refused("the row of \(batch.table) that a change is for has changed or is missing")
            }
        }
    }

    func savepoint(_ body: () throws -> Void) throws {
        try execute(Statement("SAVEPOINT call"))
        do {
            try body()
        } catch let error as StoreError where error.endsTransaction {
            throw error
        } catch {
            try execute(Statement("ROLLBACK TO call"))
            try execute(Statement("RELEASE call"))
            throw error
        }
        try execute(Statement("RELEASE call"))
    }

    /// <https://www.sqlite.org/pragma.html#pragma_data_version>
    func foreignVersion() throws -> Int64? { try first(Int64.self, "PRAGMA data_version") }

    // MARK: - Statements

    /// SQLite does not close a connection that has statements (<https://www.sqlite.org/c3ref/close.html>).
    func forgetStatements() {
        prepared.removeAll()
        batches.removeAll()
    }

    /// Prepares a statement, or takes the one that was prepared before. Ends it after `body`, and forgets its values.
    private func withPrepared<Value>(_ sql: String, _ body: (StatementHandle) throws -> Value) throws -> Value {
        let statement = try statement(sql)
        return try withExtendedLifetime(statement) {
            let handle = StatementHandle(statement)
            defer { handle.reset() }
            return try body(handle)
        }
    }

    private func statement(_ sql: String) throws -> GRDB.Statement {
        let known = prepared[sql]
        if let known, !StatementHandle(known).isBusy { return known }
        let statement = try prepare(sql)
        if prepared.count >= Self.mostPrepared { prepared.removeAll(keepingCapacity: true) }
        // A statement whose rows are being read is not taken from its reader.
        if known == nil { prepared[sql] = statement }
        return statement
    }

    private func statement(of batch: RowBatch) throws -> GRDB.Statement {
        if let known = batches[ObjectIdentifier(batch)] { return known.statement }
        let statement = try prepare(batch.sql)
        batches[ObjectIdentifier(batch)] = (batch, statement)
        return statement
    }

    private func prepare(_ sql: String) throws -> GRDB.Statement {
        do {
            return try connection.makeStatement(sql: Dialect.sqlite.translate(sql))
        } catch let error as DatabaseError {
            throw StoreError(error)
        }
    }

    private func bind(_ values: [SQLValue], to handle: StatementHandle) throws {
        guard handle.parameterCount == values.count else {
            throw StoreError.misuse("\(values.count) values for \(handle.text)")
        }
        for (index, value) in values.enumerated() {
            if let failure = handle.bind(value, at: index + 1) { throw error(failure) }
        }
    }

    private func run(_ handle: StatementHandle) throws -> Int {
        while try step(handle) {}
        return unsafe Int(sqlite3_changes(connection.sqliteConnection))
    }

    /// - Returns: Whether there is a row.
    private func step(_ handle: StatementHandle) throws -> Bool {
        switch handle.step() {
        case SQLITE_ROW: true
        case SQLITE_DONE: false
        case let code: throw error(code)
        }
    }

    private func error(_ code: CInt) -> StoreError {
        let message = unsafe sqlite3_errmsg(connection.sqliteConnection).map { unsafe String(cString: $0) }
        return StoreError(DatabaseError(resultCode: ResultCode(rawValue: code), message: message))
    }
}
