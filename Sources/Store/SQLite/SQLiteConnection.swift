import GRDB

/// A connection to the file. One writes and checkpoints; the others only read.
///
/// SQLite before 3.51.3 can damage a write-ahead log that two connections write or checkpoint at once, so exactly one
/// connection does both.
final class SQLiteConnection: Sendable {
    let queue: DatabaseQueue
    /// Used in the closures of the queue only.
    private nonisolated(unsafe) let database: SQLiteDatabase

    /// The log size that triggers a checkpoint: 16 MiB. A start must read that much at most, unless a long reader has
    /// let the log grow.
    private static let checkpointPages = 4096
    /// Room for the index pages that many active downloads keep changing. The default of SQLite is 2 MiB.
    private static let writerCacheKiB = 8192

    private init(_ queue: DatabaseQueue) {
        self.queue = queue
        unsafe database = queue.unsafeRead { SQLiteDatabase($0) }
    }

    /// - Parameter migrate: Brings the file to the schema of this version.
    /// - Throws: ``StoreError`` if the file cannot be opened; errors of `migrate` that are not of SQLite unchanged.
    static func openWriter(path: String, migrate: (DatabaseQueue) throws -> Void) throws -> SQLiteConnection {
        do {
            let queue = try openWriter(path: path)
            try migrate(queue)
            return SQLiteConnection(queue)
        } catch let error as DatabaseError {
            throw StoreError(opening: error)
        }
    }

    private static func openWriter(path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "cormorant.store.writer"
        configuration.journalMode = .wal
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(5)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction { database in
            // GRDB sets NORMAL when it opens a WAL database. NORMAL can lose acknowledged commits on a power failure.
            try database.execute(sql: "PRAGMA synchronous = FULL")
            try database.execute(sql: "PRAGMA cache_size = -\(writerCacheKiB)")
            // Pages that change often are then written to the database file once for many commits.
            try database.execute(sql: "PRAGMA wal_autocheckpoint = \(checkpointPages)")
            try expect(database, "journal_mode", is: "wal")
            try expect(database, "synchronous", is: "2")
            try expect(database, "foreign_keys", is: "1")
        }
        return queue
    }

    /// - Throws: ``StoreError`` if the file cannot be opened.
    static func openReader(path: String) throws -> SQLiteConnection {
        var configuration = Configuration()
        configuration.label = "cormorant.store.reader"
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA query_only = 1")
            try expect(database, "query_only", is: "1")
        }
        do {
            return SQLiteConnection(try DatabaseQueue(path: path, configuration: configuration))
        } catch let error as DatabaseError {
            throw StoreError(opening: error)
        }
    }

    /// Reads the pragma back: SQLite reports no error for a value that it ignores.
    static func expect(_ database: GRDB.Database, _ pragma: String, is wanted: String) throws {
        let value = try String.fetchOne(database, sql: "PRAGMA \(pragma)")
        guard value == wanted else {
            throw StoreError.cannotOpen("PRAGMA \(pragma) is \(value ?? "unset"), not \(wanted)")
        }
    }

    /// Runs `body` in a transaction that holds the lock for writing from its beginning.
    ///
    /// - Parameter body: Returns whether to commit.
    func write(_ body: (any Database) throws -> Bool) throws {
        var isCommit = false
        do {
            try queue.writeWithoutTransaction { connection in
                try connection.inTransaction(.immediate) {
                    guard try body(unsafe database) else { return .rollback }
                    isCommit = true
                    return .commit
                }
            }
        } catch let error as DatabaseError {
            throw StoreError(error, isCommit: isCommit)
        }
    }

    /// Ends the connection. It must not be used afterwards.
    func close() throws {
        queue.unsafeRead { _ in unsafe database.forgetStatements() }
        try Self.mapErrors { try queue.close() }
    }

    static func mapErrors<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw StoreError(error)
        }
    }
}

extension SQLiteConnection: ReadingConnection {
    func read<Value>(_ body: (any Database) throws -> Value) throws -> Value {
        try Self.mapErrors { try queue.unsafeRead { _ in try body(unsafe database) } }
    }

    func readSnapshot<Value>(_ body: (any Database) throws -> Value) throws -> Value {
        try Self.mapErrors {
            try queue.unsafeRead { connection in
                var value: Value?
                try connection.inTransaction(.deferred) {
                    value = try body(unsafe database)
                    return .commit
                }
                guard let value else { preconditionFailure("a transaction ended without its body") }
                return value
            }
        }
    }
}
