import Core
import Synchronization

/// The event stream of one client. It chooses the next piece when the connection can send more.
///
/// It stores only its position in the log and the last page. A slow client gets fewer progress readings and reads older
/// events from the store, so it needs no more memory than a fast one.
public final class EventStream: Sendable {
    /// The result of ``next()``.
    public enum Piece: Sendable {
        case bytes([UInt8])
        /// No data now. The function given to ``attach(_:)`` is called when there is some.
        case nothingYet
        case end
    }

    /// A read from the store. Streams with equal queries share one read.
    enum Query: Hashable {
        /// One part of a snapshot of the downloads that match a filter; the first part if the place is nil.
        case snapshot(EventFilter, SnapshotPlace?)
        case events(EventFilter, after: Int64)
    }

    /// Data that all streams of the hub share.
    struct Shared {
        var tail: EventTail
        var progress = ProgressTable()
    }

    /// The maximum number of events per page.
    static let pageLimit = 16
    /// A page ends with the event that reaches this size. A stalled client keeps a page and one event in memory.
    static let pageBytes = 64 << 10

    let request: StreamRequest
    private let hub: EventHub
    private let state: Mutex<StreamState>

    init(_ request: StreamRequest, _ state: StreamState, hub: EventHub) {
        self.request = request
        self.hub = hub
        self.state = Mutex(state)
    }

    /// Sets the function that wakes the connection. Called once.
    public func attach(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

    /// The next piece. The server calls it when the connection can send more, so it never blocks.
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

    /// Closes the stream after the client has disconnected.
    public func close() { hub.remove(self) }

    // MARK: - Called by the hub

    func wake() { state.withLock { $0.wake }() }

    /// Ends the stream after the pieces that are ready.
    func end(_ last: [UInt8]? = nil) {
        state.withLock { $0.end(last) }
        wake()
    }

    /// - Parameter isInterested: Whether the filter matches an event after `last`, up to `sequence`.
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
