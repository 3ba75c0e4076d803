import GRDB
public import Model

/// Makes the bytes of an event in one of its forms, which are stored and sent as they are. The store itself knows no
/// JSON.
public typealias EventEncoder = @Sendable (Event, EventForm) -> [UInt8]

/// Everything that is kept: downloads, their segments, sessions, events and deliveries.
///
/// It speaks in values and promises: no SQL, row or transaction leaves this target, every call is atomic,
/// and a call that wrote returns only once what it wrote would survive the loss of power. A write of a
/// worker names its ``Claim`` and is answered ``Fenced/lost`` once that is stale. Time is a parameter.
///
/// A call throws ``StoreError`` when the disk or the database fails.
public final class Store: Sendable {
    /// Hints that there may be work; the work itself is found by asking.
    public let notices: Notices
    let writer: Writer
    let readers: Readers
    let lookedUp = LookedUp()
    let unreadable: UnreadableRows
    let unreadableEvents: UnreadableEvents
    let changes = DownloadChanges()
    let turns = ClaimTurns()
    let deliveryTurns = DeliveryTurns()

    /// Opens the database file, making or migrating it.
    ///
    /// - Parameters:
    ///   - path: The file. Its folder exists, and belongs to this process alone.
    ///   - encode: Runs inside transactions, on the writer's thread.
    ///   - reserve: Is used where the disk is full.
    ///   - reportUnreadable: Called once for each download whose row cannot be read.
    ///   - reportUnreadableEvent: The same for the log of events.
    public init(
        path: String,
        encode: @escaping EventEncoder,
        reserve: StoreReserve = .none,
        reportUnreadable: @escaping @Sendable (UnreadableDownload) -> Void = { _ in },
        reportUnreadableEvent: @escaping @Sendable (UnreadableEvent) -> Void = { _ in }
    ) throws {
        let queue: DatabaseQueue
        let readQueues: [DatabaseQueue]
        do {
            queue = try Connection.openWriter(path: path)
            try Migrations.run(on: queue)
            readQueues = try (0..<2).map { _ in try Connection.openReader(path: path) }
        } catch let error as DatabaseError {
            throw StoreError.cannotOpen(error.message ?? "SQLite result \(error.resultCode.rawValue)")
        }
        unreadable = UnreadableRows(report: reportUnreadable)
        unreadableEvents = UnreadableEvents(report: reportUnreadableEvent)
        notices = Notices()
        writer = Writer(
            queue: queue,
            encode: encode,
            notices: notices,
            changes: changes,
            lookedUp: lookedUp,
            reserve: reserve
        )
        readers = Readers(queues: readQueues)
    }

    /// Yields after each commit that gave a download another revision or took it away: a hint to look, which may fold
    /// into the one before it. Whoever has the stream ends it by its continuation, or by letting go of it.
    public func changes(of id: DownloadID) -> (AsyncStream<Void>, AsyncStream<Void>.Continuation) {
        changes.listen(to: id)
    }

    /// Whether a commit had an unknown outcome: nothing more is written, and only a new start can tell what happened.
    public var hasFailed: Bool { writer.hasFailed }

    /// Refuses later writes, and returns once the ones under way are durable.
    public func close() {
        writer.close()
    }
}
