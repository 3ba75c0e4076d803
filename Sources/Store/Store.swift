public import Core

/// Encodes an event in one of its forms. The bytes are stored and sent unchanged. The store does not depend on JSON.
public typealias EventEncoder = @Sendable (Event, EventForm) -> [UInt8]

/// All persistent data: downloads, their segments, sessions, events and deliveries.
///
/// No SQL, row or transaction leaves this target. Every call is atomic, but for the release of many deliveries. A call
/// that writes returns once its data is durable. A write of a worker names its ``Claim``, and returns
/// ``FencedResult/lost`` if the claim is stale. Time is a parameter.
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

    /// Opens the database. Creates or migrates it if needed.
    ///
    /// - Parameters:
    ///   - beforeFirst: Called before the first table is created. If it throws, the database stays empty.
    ///   - encode: Runs inside transactions, on the writer's thread.
    ///   - reportUnreadable: Called once for each download whose row cannot be read.
    ///   - reportUnreadableEvent: Called once for each event that cannot be read.
    public init(
        _ location: StoreLocation,
        beforeFirst: () throws -> Void = {},
        encode: @escaping EventEncoder,
        reportUnreadable: @escaping @Sendable (UnreadableDownload) -> Void = { _ in },
        reportUnreadableEvent: @escaping @Sendable (UnreadableEvent) -> Void = { _ in }
    ) throws {
        let engine = try location.open(beforeFirst)
        let reader = try engine.openReader()
        doubtAtOpening = try engine.openDoubt(reader)
        unreadable = UnreadableRows(report: reportUnreadable)
        unreadableEvents = UnreadableEvents(report: reportUnreadableEvent)
        notices = Notices()
        writer = Writer(
            engine: engine,
            encode: encode,
            notices: notices,
            changes: changes,
            lookupCache: lookupCache
        )
        readers = Readers(
            first: reader,
            open: { try engine.openReader() },
            isLocal: engine.isLocal,
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

    /// Puts all data into the database file.
    public func truncateLog() async { await writer.truncateLog() }

    /// Refuses later writes, and returns once pending writes are durable. The database file then contains all data.
    public func close() {
        writer.close()
    }
}

/// The database that holds the store's data. Each engine says how its databases are named
/// (``file(_:reserve:)``).
public struct StoreLocation: Sendable {
    /// - Parameter beforeFirst: Called before the first table is created. If it throws, the database stays empty.
    let open: @Sendable (_ beforeFirst: () throws -> Void) throws -> any StoreEngine
}
