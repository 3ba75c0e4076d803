public import Core
import GRDB

/// Makes the bytes of an event in one of its forms, which are stored and sent as they are. The store itself knows no
/// JSON.
public typealias EventEncoder = @Sendable (Event, EventForm) -> [UInt8]

/// Everything that is kept: downloads, their segments, sessions, events and deliveries.
///
/// No SQL, row or transaction leaves this target. Every call is atomic, and a call that writes returns once its data
/// would survive a power cut. A write of a worker names its ``Claim``, and is answered ``FencedResult/lost`` once the
/// claim is stale. Time is a parameter.
///
/// A call throws ``StoreError`` when the disk or the database fails.
public final class Store: Sendable {
    /// Hints that there may be work; the work itself is found by asking.
    public let notices: Notices
    let writer: Writer
    let readers: Readers
    let lookupCache = LookupCache()
    let unreadable: UnreadableRows
    let unreadableEvents: UnreadableEvents
    let changes = DownloadChanges()
    let claimCursors = ClaimCursors()
    let deliveryCursor = DeliveryCursor()
    /// What was known of the time when the store was opened; nil where nothing was recorded yet.
    public let doubtAtOpening: RetentionClock.Doubt?

    /// Opens the database file, making or migrating it.
    ///
    /// - Parameters:
    ///   - path: The file. Its folder exists, and belongs to this process alone.
    ///   - beforeFirst: Called where the database has no table yet, before any is made. What it throws keeps it so.
    ///   - encode: Runs inside transactions, on the writer's thread.
    ///   - reserve: Is used where the disk is full.
    ///   - reportUnreadable: Called once for each download whose row cannot be read.
    ///   - reportUnreadableEvent: The same for the log of events.
    public init(
        path: String,
        beforeFirst: () throws -> Void = {},
        encode: @escaping EventEncoder,
        reserve: StoreReserve = .none,
        reportUnreadable: @escaping @Sendable (UnreadableDownload) -> Void = { _ in },
        reportUnreadableEvent: @escaping @Sendable (UnreadableEvent) -> Void = { _ in }
    ) throws {
        let queue: DatabaseQueue
        let readQueues: [DatabaseQueue]
        do {
            queue = try Connection.openWriter(path: path)
            if try queue.read({ try !$0.tableExists("event") }) { try beforeFirst() }
            try Migrations.run(on: queue)
            readQueues = try (0..<2).map { _ in try Connection.openReader(path: path) }
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
        readers = Readers(queues: readQueues) { [writer] in writer.stopWriting($0) }
    }

    /// Yields after each commit that changed a download's revision or deleted it. Several commits may yield once. The
    /// stream ends when its continuation is finished or released.
    public func changes(of id: DownloadID) -> (AsyncStream<Void>, AsyncStream<Void>.Continuation) {
        changes.listen(to: id)
    }

    /// Why nothing more is written: a commit had an unknown outcome, or the database is damaged.
    public var failure: StoreError? { writer.failure }

    /// Moves what the log holds into the database file.
    public func truncateLog() async { await writer.truncateLog() }

    /// Refuses later writes, and returns once the ones under way are durable. The database file then holds everything.
    public func close() {
        writer.close()
    }
}

/// SQLite as a whole.
public enum SQLiteLibrary {
    /// The version of the library that is loaded, such as `3.40.1`.
    public static func versionText() throws -> String {
        try DatabaseQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") } ?? "unknown"
    }
}
