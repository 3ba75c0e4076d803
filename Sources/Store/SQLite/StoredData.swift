public import Core
import GRDB

/// The database file, opened to read only: beside a running service, or while none runs. For backups and checks.
///
/// The calls block, so they are for commands and not for the service.
public final class StoredData: Sendable {
    private let connection: SQLiteConnection
    private var queue: DatabaseQueue { connection.queue }

    /// - Parameter path: The database file of a data folder.
    /// - Throws: ``StoreError/unknownSchema(found:known:)`` or ``StoreError/cannotOpen(_:)`` if another version of the
    ///   program made it.
    public init(path: String) throws(StoreError) {
        connection = try Self.calling { () throws in
            let connection = try SQLiteConnection.openReader(path: path)
            try connection.queue.read { database in
                try Migrations.check(database)
                guard try Migrations.migrator.hasCompletedMigrations(database) else {
                    throw StoreError.cannotOpen("it is empty or of an older version; start the service once")
                }
            }
            return connection
        }
    }

    /// Copies the database as of one commit into an empty file. Then checks the copy. The copy is one file: it needs no
    /// log beside it. It is not synchronised.
    ///
    /// - Parameter path: An empty file, which nobody else uses.
    /// - Returns: The number of downloads in the copy.
    /// - Throws: ``StoreError/corrupt(_:)`` if the copy is damaged, because the database is.
    public func copy(to path: String) throws(StoreError) -> Int {
        try Self.calling {
            var configuration = Configuration()
            configuration.label = "cormorant.store.copy"
            configuration.prepareDatabase { database in
                // The caller deletes an unfinished copy, and flushes a finished one.
                try database.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
            }
            let copy = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? copy.close() }
            try queue.backup(to: copy)
            return try copy.writeWithoutTransaction { database in
                // The header says that there is a log; from now on there is none.
                try database.execute(sql: "PRAGMA journal_mode = DELETE")
                let faults = try database.faults(limit: 1)
                guard faults.isEmpty else { throw StoreError.corrupt(faults[0]) }
                return try Int.fetchOne(database, sql: "SELECT count(*) FROM download") ?? 0
            }
        }
    }

    /// What is wrong with the file, by SQLite's own checks of its pages, indexes and references; empty if nothing is.
    ///
    /// - Parameter limit: The maximum number of faults.
    public func faults(limit: Int = 100) throws(StoreError) -> [String] {
        do {
            return try Self.calling { try queue.read { try $0.faults(limit: limit) } }
        } catch {
            // Some damage makes SQLite give up its check.
            guard case .corrupt(let detail) = error else { throw error }
            return [detail]
        }
    }

    /// Some of the downloads, in the order of their rows.
    public struct Page: Sendable {
        public let downloads: [Download]
        /// Those whose rows cannot be read.
        public let unreadable: [UnreadableDownload]
        /// The position for the next page; nil if there is none.
        public let next: Int64?
    }

    /// The downloads after a position.
    ///
    /// - Parameter position: ``Page/next`` of the page before; nil for the first one.
    public func downloads(after position: Int64?, limit: Int = 500) throws(StoreError) -> Page {
        try Self.calling {
            try connection.read { database in
                let rows = try database.all(
                    Int64.self,
                    "SELECT row FROM download WHERE row > ? ORDER BY row LIMIT ?",
                    [position ?? 0, limit]
                )
                guard let last = rows.last else { return Page(downloads: [], unreadable: [], next: nil) }
                let (downloads, unreadable) = try database.sortedDownloads(
                    "SELECT \(Download.columnList) FROM download WHERE row > ? AND row <= ? ORDER BY row",
                    [position ?? 0, last]
                )
                return Page(downloads: downloads, unreadable: unreadable, next: rows.count < limit ? nil : last)
            }
        }
    }

    /// The completed download with the same file as `download`, as the database has it now; nil if it was deleted, has
    /// another file by now, or if another download has put its own file in the place.
    public func current(_ download: Download) throws(StoreError) -> Download? {
        try Self.calling {
            try connection.read { database in
                guard let current = try database.download(download.id), current.state == .completed,
                    current.file == download.file, try !database.hasLostFile(current, countsPublishing: true)
                else { return nil }
                return current
            }
        }
    }

    private static func calling<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
        do {
            return try body()
        } catch let error as StoreError {
            throw error
        } catch let error as DatabaseError {
            throw StoreError(error)
        } catch {
            throw .failed("\(error)")
        }
    }
}

extension GRDB.Database {
    /// The answers of SQLite's checks, without `ok`.
    fileprivate func faults(limit: Int) throws -> [String] {
        let pages = try String.fetchAll(self, sql: "PRAGMA integrity_check(\(limit))").filter { $0 != "ok" }
        guard pages.count < limit else { return pages }
        let references = try Row.fetchCursor(self, sql: "PRAGMA foreign_key_check")
        var faults = pages
        while faults.count < limit, let row = try references.next() {
            let (table, parent): (String, String) = (row["table"], row["parent"])
            let number: Int64? = row["rowid"]
            faults.append("a row of \(table)\(number.map { " (\($0))" } ?? "") refers to a missing row of \(parent)")
        }
        return faults
    }
}
