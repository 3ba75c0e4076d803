import GRDB

/// A database file, with one connection that writes and others that read.
final class SQLiteEngine: StoreEngine {
    private let path: String
    private let reserve: StoreReserve
    private let writer: SQLiteConnection

    /// Opens the file. Creates or migrates it if needed.
    ///
    /// - Parameter beforeFirst: Called before the first table is created. If it throws, the file stays empty.
    /// - Throws: ``StoreError`` if the file cannot be opened; errors of `beforeFirst` unchanged.
    init(path: String, reserve: StoreReserve, beforeFirst: () throws -> Void) throws {
        self.path = path
        self.reserve = reserve
        writer = try SQLiteConnection.openWriter(path: path) { queue in
            if try queue.read({ try !$0.tableExists("event") }) { try beforeFirst() }
            try Migrations.run(on: queue)
        }
    }

    func write(_ body: (any Database) throws -> Bool) throws { try writer.write(body) }

    func openReader() throws -> any ReadingConnection {
        try SQLiteConnection.openReader(path: path)
    }

    func restoreReserve() -> Bool { reserve.restore() }

    /// Also checkpoints, so that the space of the log can be reused.
    func releaseReserve() {
        _ = reserve.release()
        _ = try? writer.queue.writeWithoutTransaction { try $0.checkpoint(.passive) }
    }

    /// Only the writer's connection checkpoints, and only between its commits. If that fails, the log stays, and the
    /// next start reads it.
    func truncateLog() {
        _ = try? writer.queue.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    }
}
