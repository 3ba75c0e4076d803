public import Core
import GRDB
import Glibc

/// Encodes an event in one of its forms. The bytes are stored and sent unchanged. The store does not depend on JSON.
public typealias EventEncoder = @Sendable (Event, EventForm) -> [UInt8]

/// All persistent data: downloads, their segments, sessions, events and deliveries.
///
/// No SQL, row or transaction leaves this target. Every call is atomic. A call that writes returns once its data is
/// durable. A write of a worker names its ``Claim``, and returns ``FencedResult/lost`` if the claim is stale. Time is a
/// parameter.
///
/// A call throws ``StoreError`` if the disk or the database fails.
public final class Store: Sendable {
    /// Notifies that there may be work. The listener then queries the store for it.
    public let notices: Notices
    let writer: Writer
    let readers: Readers
    let lookupCache = LookupCache()
    let unreadable: UnreadableRows
    let unreadableEvents: UnreadableEvents
    let changes = DownloadChanges()
    let claimCursors = ClaimCursors()
    let deliveryCursor = DeliveryCursor()
    /// What was known about the time when the store was opened (``RetentionClock``); nil if nothing was recorded.
    public let doubtAtOpening: RetentionClock.Doubt?

    /// Opens the database file. Creates or migrates it if needed.
    ///
    /// - Parameters:
    ///   - path: The database file. Its folder must exist and be used by no other process.
    ///   - beforeFirst: Called before the first table is created. If it throws, the database stays empty.
    ///   - encode: Runs inside transactions, on the writer's thread.
    ///   - reserve: Disk space that is released when the disk is full.
    ///   - reportUnreadable: Called once for each download whose row cannot be read.
    ///   - reportUnreadableEvent: Called once for each event that cannot be read.
    public init(
        path: String,
        beforeFirst: () throws -> Void = {},
        encode: @escaping EventEncoder,
        reserve: StoreReserve = .none,
        reportUnreadable: @escaping @Sendable (UnreadableDownload) -> Void = { _ in },
        reportUnreadableEvent: @escaping @Sendable (UnreadableEvent) -> Void = { _ in }
    ) throws {
        let queue: DatabaseQueue
        let reader: DatabaseQueue
        do {
            queue = try Connection.openWriter(path: path)
            if try queue.read({ try !$0.tableExists("event") }) { try beforeFirst() }
            try Migrations.run(on: queue)
            reader = try Connection.openReader(path: path)
            doubtAtOpening = try queue.openDoubt()
        } catch let error as DatabaseError {
            throw StoreError(opening: error)
        }
        unreadable = UnreadableRows(report: reportUnreadable)
        unreadableEvents = UnreadableEvents(report: reportUnreadableEvent)
        notices = Notices()
        writer = Writer(
            queue: queue,
            encode: encode,
            notices: notices,
            changes: changes,
            lookupCache: lookupCache,
            reserve: reserve
        )
        readers = Readers(
            first: reader,
            open: { try Connection.openReader(path: path) },
            recordDamage: { [writer] in writer.stopWriting($0) }
        )
    }

    /// Yields after each commit that changed a download's revision or deleted it. Several commits may yield once. The
    /// stream ends when its continuation is finished or released.
    public func changes(of id: DownloadID) -> (AsyncStream<Void>, AsyncStream<Void>.Continuation) {
        changes.listen(to: id)
    }

    /// The reason why the store refuses writes: a commit with unknown outcome, or a damaged database; nil otherwise.
    public var failure: StoreError? { writer.failure }

    /// Moves the content of the write-ahead log into the database file.
    public func truncateLog() async { await writer.truncateLog() }

    /// Refuses later writes, and returns once pending writes are durable. The database file then contains all data.
    public func close() {
        writer.close()
    }
}

/// The SQLite library.
public enum SQLiteLibrary {
    /// Makes SQLite write its temporary files, such as those of large sorts, into a folder. Must be called before the
    /// first use of SQLite and before other threads exist (<https://www.sqlite.org/tempfiles.html>, section 5).
    ///
    /// Without it SQLite uses `/var/tmp` or `/tmp`, which a read-only root has not, and which may be small. The files
    /// are not kept in memory: the index of a million rows would not fit into a small container.
    public static func useTemporaryFolder(_ path: String) {
        unsafe setenv("SQLITE_TMPDIR", path, 1)
    }

    /// The version of the loaded library, such as `3.40.1`.
    public static func versionText() throws -> String {
        try DatabaseQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") } ?? "unknown"
    }
}
