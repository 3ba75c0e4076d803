import Core

/// The state machine of a stream: pure rules, whose effects ``EventStream`` and ``EventHub`` carry out.
struct StreamState {
    private enum Source {
        /// The snapshot, part by part. The events after it follow.
        case snapshot(SnapshotPlace?)
        /// The store, since the next events are no longer in memory.
        case log
        /// The newest events, which are in memory.
        case tail
    }

    private struct Item {
        let frame: [UInt8]
        /// The client's resume position after this frame; nil if the frame does not change it.
        let id: Int64?
        /// Whether the frame counts towards the maximum number of events.
        let isEvent: Bool
    }

    var wake: @Sendable () -> Void = {}
    private var ready: ArraySlice<Item> = []
    private var source: Source
    /// The sequence number up to which the stream has read the log.
    private var position: Int64
    /// The client's resume position; nil before the first.
    private var sentPosition: Int64?
    private var isFetching = false
    /// How many events may still be sent.
    private var remaining: Int?
    /// Whether the subject has ended, as far as the log was read.
    private var hasSubjectEnded = false
    private var isOver = false
    private var isProgressDue = false
    private var lastTold: DownloadID?
    private var isHeartbeatDue = false
    private var heartbeatAt: Duration
    private var hasSent = false
    private let endsAt: Duration

    /// - Parameters:
    ///   - window: The current range of the log.
    ///   - now: The elapsed time of the monotonic clock.
    init(_ request: StreamRequest, _ window: EventWindow, now: Duration, _ settings: StreamSettings) {
        position = request.lastEvent ?? window.newest
        sentPosition = request.lastEvent
        source = .log
        remaining = request.maxEvents
        heartbeatAt = now + settings.heartbeat
        endsAt = now + min(request.maxLife ?? settings.longest, settings.longest)
        add(StreamFrame.retry(3000))
        if request.lastEvent == nil { begin(request, window) }
    }

    /// Begins the stream of a new client with a snapshot or a position.
    private mutating func begin(_ request: StreamRequest, _ window: EventWindow) {
        position = window.newest
        hasSubjectEnded = false
        if request.hasSnapshot {
            source = .snapshot(nil)
        } else {
            source = .tail
            add(StreamFrame.position(window.newest), id: window.newest)
        }
    }

    private mutating func add(_ frame: [UInt8], id: Int64? = nil, isEvent: Bool = false) {
        ready.append(Item(frame: frame, id: id, isEvent: isEvent))
    }

    mutating func end(_ last: [UInt8]?) {
        if isOver { return }
        isOver = true
        if let last { add(last) }
    }

    // MARK: - Sending

    mutating func next(_ request: StreamRequest, _ shared: EventStream.Shared, _ now: Timestamp) -> EventStream.Piece {
        if ready.isEmpty && !isOver { readTail(request, shared) }
        if let item = ready.popFirst() { return .bytes(sent(item)) }
        if isOver { return .end }
        if hasSubjectEnded, case .tail = source, let subject = request.subject {
            isOver = true
            return .bytes(StreamFrame.end(of: subject, at: position))
        }
        if isProgressDue, let frame = progress(request, shared) { return .bytes(frame) }
        if isHeartbeatDue {
            if let frame = newPosition() { return .bytes(frame) }
            isHeartbeatDue = false
            return .bytes(StreamFrame.heartbeat(at: now))
        }
        return .nothingYet
    }

    private mutating func readTail(_ request: StreamRequest, _ shared: EventStream.Shared) {
        guard case .tail = source else { return }
        let (limit, bytes) = (EventStream.pageLimit, EventStream.pageBytes)
        switch shared.tail.lookUp(after: position, for: request.reading, limit: limit, bytes: bytes) {
        case .behind: source = .log
        case .found(let entries, let sequence):
            position = sequence
            for entry in entries { receive(entry, request) }
        }
    }

    /// Sends a new position to a client whose filter has long matched nothing. Otherwise a reconnect would read all
    /// those events again, or find them purged.
    private mutating func newPosition() -> [UInt8]? {
        guard case .tail = source, sentPosition.map({ $0 < position }) ?? true else { return nil }
        sentPosition = position
        return StreamFrame.position(position)
    }

    private mutating func progress(_ request: StreamRequest, _ shared: EventStream.Shared) -> [UInt8]? {
        isProgressDue = false
        let (frames, last) = shared.progress.next(
            after: lastTold,
            for: request.filter,
            hasSegments: request.hasSegments
        )
        guard !frames.isEmpty else { return nil }
        lastTold = last
        hasSent = true
        return Array(frames.joined())
    }

    private mutating func sent(_ item: Item) -> [UInt8] {
        hasSent = true
        if let id = item.id { sentPosition = id }
        if item.isEvent, let count = remaining {
            remaining = count - 1
            if count <= 1 {
                ready = []
                isOver = true
            }
        }
        return item.frame
    }

    /// - Returns: Whether to read more from the store.
    mutating func beginFetching() -> Bool {
        if case .tail = source { return false }
        guard !isFetching, !isOver, ready.isEmpty else { return false }
        isFetching = true
        return true
    }

    // MARK: - Calls from the hub

    mutating func offer(_ isInterested: Bool, after last: Int64, upTo sequence: Int64) -> Bool {
        guard case .tail = source, !isOver else { return false }
        if isInterested { return true }
        // No event matches, so the stream need not read them again.
        if position >= last { position = max(position, sequence) }
        return false
    }

    mutating func tick(_ now: Duration, hasChanges: Bool, heartbeat: Duration) -> Bool {
        if now >= endsAt { isOver = true }
        if hasSent {
            hasSent = false
            heartbeatAt = now + heartbeat
        }
        if now >= heartbeatAt {
            isHeartbeatDue = true
            heartbeatAt = now + heartbeat
        }
        if case .tail = source, hasChanges { isProgressDue = true }
        return isOver || isHeartbeatDue || isProgressDue
    }

    func query(_ request: StreamRequest) -> EventStream.Query {
        guard case .snapshot(let place) = source else { return .events(request.reading, after: position) }
        // The snapshot shows the same downloads for any filter of event types.
        var subject = request.filter
        subject.types = nil
        return .snapshot(subject, place)
    }

    /// - Parameter entries: The events of the page.
    mutating func receive(_ page: EventPage, _ entries: [EventTail.Entry], _ request: StreamRequest) {
        isFetching = false
        guard page.window.holdsAll(after: position) else {
            add(StreamFrame.reset(page.window))
            return begin(request, page.window)
        }
        position = page.last
        for entry in entries { receive(entry, request) }
        if page.isAtEnd { source = .tail }
    }

    private mutating func receive(_ entry: EventTail.Entry, _ request: StreamRequest) {
        let event = entry.event
        // A retried download has events after its end.
        if request.subject != nil { hasSubjectEnded = event.type.leavesDownloadEnded }
        guard request.filter.includes(event) else { return }
        add(entry.frame, id: event.sequence, isEvent: true)
    }

    mutating func receive(_ part: SnapshotPart, _ request: StreamRequest) {
        isFetching = false
        guard case .snapshot = source else { return }
        position = part.sequence
        add(part.frame, id: part.next == nil ? position : nil)
        if request.subject != nil { hasSubjectEnded = part.haveAllEnded }
        source = part.next.map { .snapshot($0) } ?? .log
    }
}
