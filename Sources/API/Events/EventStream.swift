import Core
import Synchronization

/// One client's stream: what it is sent next is decided when its connection takes more.
///
/// It keeps only its position in the log and the last page. A slow client gets fewer progress readings and reads older
/// events from the store, so it needs no more memory than a fast one.
public final class EventStream: Sendable {
    /// The next bytes to send, if any.
    public enum Piece: Sendable {
        case bytes([UInt8])
        /// The function given to ``attach(_:)`` is called once there is something.
        case nothingYet
        case end
    }

    /// What it needs of the store. Those that need the same at the same time are given one reading of it.
    enum Query: Hashable {
        /// How the downloads are that a filter concerns: those of a part of a snapshot, the first one if none is named.
        case snapshot(EventFilter, SnapshotPlace?)
        case events(EventFilter, after: Int64)
    }

    /// What the hub has for all streams.
    struct Shared {
        var tail: EventTail
        var progress = ProgressTable()
    }

    /// How many events are read at a time.
    static let pageLimit = 16
    /// The bytes at which a page ends. A client that reads nothing holds this and one event in memory.
    static let pageBytes = 64 << 10

    let request: StreamRequest
    private let hub: EventHub
    private let state: Mutex<StreamState>

    init(_ request: StreamRequest, _ state: StreamState, hub: EventHub) {
        self.request = request
        self.hub = hub
        self.state = Mutex(state)
    }

    /// Says how the connection is woken, once for all.
    public func attach(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

    /// The next piece; asked for by the server when the connection takes more, so it does not wait for anything.
    public func next() -> Piece {
        let shared = hub.shared
        let now = hub.now
        let (piece, wants) = state.withLock { state in
            let piece = state.next(request, shared, now)
            return (piece, state.beginFetching())
        }
        if wants { hub.fetch(for: self) }
        return piece
    }

    /// The client is gone.
    public func close() { hub.remove(self) }

    // MARK: - Called by the hub

    func wake() { state.withLock { $0.wake }() }

    /// Ends it when what is ready has been sent.
    func end(_ last: [UInt8]? = nil) {
        state.withLock { $0.end(last) }
        wake()
    }

    /// - Parameter isInterested: Whether one of the events that follow `last`, up to `sequence`, is for it.
    /// - Returns: Whether to wake the stream.
    func offer(_ isInterested: Bool, after last: Int64, upTo sequence: Int64) -> Bool {
        state.withLock { $0.offer(isInterested, after: last, upTo: sequence) }
    }

    /// - Returns: Whether to wake the stream.
    func tick(_ now: Duration, _ progress: ProgressTable, heartbeat: Duration) -> Bool {
        let hasChanges = request.hasProgress && progress.hasChanges(for: request.filter)
        return state.withLock { $0.tick(now, hasChanges: hasChanges, heartbeat: heartbeat) }
    }

    var query: Query { state.withLock { $0.query(request) } }

    /// - Parameter entries: The events of the page.
    func receive(_ page: EventPage, _ entries: [EventTail.Entry]) {
        state.withLock { $0.receive(page, entries, request) }
        wake()
    }

    func receive(_ part: SnapshotPart) {
        state.withLock { $0.receive(part, request) }
        wake()
    }
}
