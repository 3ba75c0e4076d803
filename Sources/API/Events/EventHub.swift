public import Core
public import Logging
public import Service
import Synchronization

/// Serves all event streams and long polls: reads the log and the progress of transfers once for all of them.
///
/// A stream is asked for its next bytes when its connection can send more (``EventStream``). Streams with equal queries
/// share one read from the store, and reads run one after another. So however many streams start at once, other
/// requests find an idle reader of the store.
public final class EventHub: Sendable {
    struct State {
        var shared = EventStream.Shared(tail: EventTail(after: 0))
        var streams: [ObjectIdentifier: EventStream] = [:]
        /// Streams that wait for a read from the store. Each occurs at most once.
        var requesting: [EventStream] = []
        /// Open streams by caller, including those that are being opened.
        var counts: [String: Int] = [:]
        var total = 0
        var isShuttingDown = false
        var lastWaiter = 0
        /// Long polls for a change of a download, by number.
        var waiters: [Int: AsyncStream<Void>.Continuation] = [:]
    }

    let service: DownloadService
    let running: RunningDownloads
    let settings: StreamSettings
    let time: TimeSource
    let logger: Logger
    let state = Mutex(State())
    /// Yields when the first stream is opened, or the log must be read.
    let (openings, opened) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let (nudges, nudged) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// Yields when a stream needs a read from the store.
    let (fetches, fetching) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// Yields when events were added to the log.
    let additions: AsyncStream<Void>

    public init(
        service: DownloadService,
        running: RunningDownloads,
        settings: StreamSettings = StreamSettings(),
        time: TimeSource,
        logger: Logger
    ) {
        self.service = service
        self.running = running
        self.settings = settings
        self.time = time
        self.logger = logger
        // Subscribe before the first stream can be opened, so that no event is missed.
        additions = service.additions()
    }

    /// The number of open streams.
    public var count: Int { state.withLock { $0.streams.count } }

    /// The number of long polls that wait for a download to change.
    public var waiterCount: Int { state.withLock { $0.waiters.count } }

    var shared: EventStream.Shared { state.withLock { $0.shared } }

    var now: Timestamp { time.now }

    // MARK: - Opening and closing

    /// Opens a stream. The caller must ``EventStream/close()`` it.
    ///
    /// - Returns: nil if no more events follow: the subject has ended, and the client has seen the end.
    public func open(_ request: StreamRequest) async throws -> EventStream? {
        try reserve(request.caller)
        do {
            guard try await hasMore(request) else {
                release(request.caller)
                return nil
            }
            let window = try await service.eventWindow()
            return enter(request, window)
        } catch {
            release(request.caller)
            throw error
        }
    }

    private func reserve(_ caller: String?) throws(ServiceError) {
        let refusal: ServiceError? = state.withLock { state in
            guard state.total < settings.limit else { return .tooManyStreams }
            if let caller {
                guard state.counts[caller, default: 0] < settings.limitPerCaller else { return .tooManyStreams }
                state.counts[caller, default: 0] += 1
            }
            state.total += 1
            return nil
        }
        if let refusal { throw refusal }
    }

    private func release(_ caller: String?) {
        state.withLock { state in
            state.total -= 1
            guard let caller else { return }
            let count = state.counts[caller, default: 0] - 1
            state.counts[caller] = count > 0 ? count : nil
        }
    }

    /// Whether a stream would have events. The stream of a download has none after the client has seen its end.
    ///
    /// - Throws: `notFound` for an unknown download. The stream of a deleted one still reports the deletion.
    public func hasMore(_ request: StreamRequest) async throws -> Bool {
        guard let subject = request.subject else { return true }
        do {
            guard try await service.download(subject).download.state.isTerminal else { return true }
        } catch ServiceError.notFound {
            guard request.lastEvent != nil, try await isInLog(subject) else { throw ServiceError.notFound }
        }
        guard let last = request.lastEvent else { return request.hasSnapshot }
        let page = try await service.events(EventFilter(download: subject), after: last, limit: 1)
        return !page.events.isEmpty || !page.window.holdsAll(after: last)
    }

    private func isInLog(_ id: DownloadID) async throws -> Bool {
        try await !service.events(EventFilter(download: id), after: nil, limit: 1).events.isEmpty
    }

    private func enter(_ request: StreamRequest, _ window: EventWindow) -> EventStream {
        let beginning = StreamState(request, window, now: time.elapsed, settings)
        let stream = EventStream(request, beginning, hub: self)
        let isShuttingDown = state.withLock { state in
            // The log is not read while no stream is open, so continue from its end.
            if state.streams.isEmpty { state.shared = EventStream.Shared(tail: EventTail(after: window.newest)) }
            state.streams[ObjectIdentifier(stream)] = stream
            return state.isShuttingDown
        }
        // A browser does not reconnect after a refusal. It does after a stream that ends with a retry interval.
        if isShuttingDown { stream.end(Self.retryFrame()) }
        opened.yield()
        nudged.yield()
        return stream
    }

    func remove(_ stream: EventStream) {
        let isThere = state.withLock { $0.streams.removeValue(forKey: ObjectIdentifier(stream)) != nil }
        if isThere { release(stream.request.caller) }
    }
}
