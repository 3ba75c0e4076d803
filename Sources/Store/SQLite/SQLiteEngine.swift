import GRDB
import Linux

extension StoreLocation {
    /// A file of SQLite. Its folder must exist and be used by no other process.
    ///
    /// - Parameter reserve: Disk space that is released when the disk is full.
    public static func file(_ path: String, reserve: StoreReserve = .none) -> Self {
        Self { beforeFirst in try SQLiteEngine(path: path, reserve: reserve, beforeFirst: beforeFirst) }
    }
}

/// A database file, with one connection that writes and others that read.
final class SQLiteEngine: StoreEngine {
    private let path: String
    private let reserve: StoreReserve
    private let writer: SQLiteConnection

    var isLocal: Bool { true }

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
        try Self.makeNamesDurable(beside: path)
    }

    /// Flushes the folder of the file. It holds the name of the write-ahead log, which exists from here on until the
    /// writer's connection ends.
    ///
    /// SQLite flushes the folder once, when it makes the log, and ignores an error of that flush (`unixSync`). Without
    /// its name the log is lost at a power failure, and with it each commit since the last checkpoint.
    private static func makeNamesDurable(beside path: String) throws(StoreError) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        do {
            try Directory(path: folder).synchronize()
        } catch {
            throw .cannotOpen("the names of its files cannot be made durable in '\(folder)': \(error.message)")
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
