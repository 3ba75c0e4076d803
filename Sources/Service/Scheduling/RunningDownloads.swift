public import Core
import Synchronization
import Transfer

/// The downloads that workers of this process run. The scheduler registers them here. The service looks up a download's
/// worker and live progress here.
public final class RunningDownloads: Sendable {
    struct Entry: Sendable {
        let epoch: Int64
        var session: SessionName?
        let meter: ProgressMeter
        var rate: DownloadRate?
        let task: Task<Void, Never>
    }

    private struct State {
        var entries: [DownloadID: Entry] = [:]
        /// Whether claims may be committed whose workers are not registered yet.
        var isClaiming = false
        /// The claims that were stopped before their workers were registered.
        var stoppedEarly: [DownloadID: Int64] = [:]
        /// Downloads that were changed before their workers were registered, so that their claims may be outdated.
        var changedEarly: [DownloadID: Download] = [:]
        var sessionsChangedEarly: [SessionName: SessionRate] = [:]
        /// The earliest due instant that the scheduler has not read yet; nil for none.
        var due: Timestamp?
        var isShuttingDown = false
        /// The pause of all downloads, and the number of its last change.
        var pause: (deferral: QueueDeferral?, number: Int) = (nil, 0)
        var isRecovered = false
    }

    private let state = Mutex(State())
    /// The hosts whose downloads are not claimed for a while.
    let hostDeferrals = HostDeferrals()
    /// The disk space that waiting downloads need.
    let spaceNeeds = SpaceNeeds()
    /// Yields when ``removeDue()`` has a new instant.
    let dueChanges: AsyncStream<Void>
    private let dueContinuation: AsyncStream<Void>.Continuation
    /// Yields after a worker has ended.
    private let departures: AsyncStream<Void>
    private let departureContinuation: AsyncStream<Void>.Continuation

    public init() {
        (dueChanges, dueContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (departures, departureContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Whether the service is about to stop. It then accepts no new downloads and starts none.
    public var isShuttingDown: Bool { state.withLock { $0.isShuttingDown } }

    /// The pause of all downloads; nil if they can run.
    public var pause: QueueDeferral? { state.withLock { $0.pause.deferral } }

    public var isPaused: Bool { pause != nil }

    /// Stops all workers and lets none start, or lets them start again. A stopped download goes back to the queue with
    /// its bytes.
    ///
    /// - Parameters:
    ///   - pause: nil lets workers start.
    ///   - number: Increases with each call; a smaller one is ignored.
    /// - Returns: Whether a pause began or ended.
    func setPause(_ pause: QueueDeferral?, number: Int, now: Timestamp) -> Bool {
        let isChange = state.withLock { state -> Bool in
            guard number > state.pause.number else { return false }
            defer { state.pause = (pause, number) }
            return (state.pause.deferral == nil) != (pause == nil)
        }
        guard isChange else { return false }
        if pause == nil { announceDue(now) } else { _ = stopAll() }
        return true
    }

    /// Whether the recovery has ended.
    public var isRecovered: Bool { state.withLock { $0.isRecovered } }

    func recordRecovered() { state.withLock { $0.isRecovered = true } }

    /// The number of workers, including those that are stopping.
    public var count: Int { state.withLock { $0.entries.count } }

    func reading(of id: DownloadID, epoch: Int64) -> ProgressReading? {
        state.withLock { $0.entries[id] }.flatMap { $0.epoch == epoch ? $0.meter.reading : nil }
    }

    /// The ranges of the file of a download as its worker has them now; nil without a worker.
    ///
    /// - Parameter epoch: nil for any claim.
    public func segments(of id: DownloadID, epoch: Int64? = nil) -> [SegmentReading]? {
        let entry = state.withLock { $0.entries[id] }
        return entry.flatMap { epoch == nil || $0.epoch == epoch ? $0.meter.segments : nil }
    }

    /// The progress of each worker, unordered.
    public var readings: [RunningProgress] {
        state.withLock { $0.entries }.map { RunningProgress(id: $0, session: $1.session, reading: $1.meter.reading) }
    }

    /// Stops the worker of a claim, at once or as soon as it is registered. A claim is committed before its worker is
    /// registered.
    ///
    /// - Returns: The worker's task, which ends after its last byte is written; nil if it is not registered.
    func stop(_ id: DownloadID, epoch: Int64) -> Task<Void, Never>? {
        let entry = state.withLock { state -> Entry? in
            if let entry = state.entries[id], entry.epoch >= epoch { return entry }
            if state.isClaiming { state.stoppedEarly[id] = epoch }
            return nil
        }
        guard let entry, entry.epoch == epoch else { return nil }
        entry.task.cancel()
        return entry.task
    }

    /// The worker of a download, even while it stops, if its claim is not newer than `epoch`.
    func worker(of id: DownloadID, upTo epoch: Int64 = .max) -> Task<Void, Never>? {
        state.withLock { $0.entries[id] }.flatMap { $0.epoch <= epoch ? $0.task : nil }
    }

    /// Records that a claim starts. Its workers are registered before ``endClaim()``.
    func beginClaim() { state.withLock { $0.isClaiming = true } }

    func endClaim() {
        state.withLock { state in
            state.isClaiming = false
            state.stoppedEarly = [:]
            state.changedEarly = [:]
            state.sessionsChangedEarly = [:]
        }
    }

    /// Registers a worker, replacing an earlier one of the same download.
    func enter(_ id: DownloadID, _ entry: Entry) {
        let (isStopped, changed) = state.withLock { state in
            state.entries[id] = entry
            return (state.stoppedEarly.removeValue(forKey: id) == entry.epoch, state.changedEarly[id])
        }
        if let changed { entry.rate?.set(changed.request.rateBytesPerSecond, revision: changed.revision) }
        if isStopped || isPaused { entry.task.cancel() }
    }

    /// Applies the download's current rate limit to its worker, if there is one.
    func updateRate(of download: Download) {
        let rate = state.withLock { state in
            if state.isClaiming, state.changedEarly[download.id].map({ $0.revision < download.revision }) ?? true {
                state.changedEarly[download.id] = download
            }
            return state.entries[download.id]?.rate
        }
        rate?.set(download.request.rateBytesPerSecond, revision: download.revision)
    }

    /// Records a session's changed rate limit for claims that are not registered yet. The caller then applies it to
    /// running downloads through the engine.
    func updateRate(of session: SessionRate) {
        state.withLock { state in
            guard state.isClaiming, state.sessionsChangedEarly[session.name]?.revision ?? 0 < session.revision else {
                return
            }
            state.sessionsChangedEarly[session.name] = session
        }
    }

    /// The session's rate limit if it has changed during the current claim.
    func changedRate(of name: SessionName) -> SessionRate? { state.withLock { $0.sessionsChangedEarly[name] } }

    func leave(_ id: DownloadID, epoch: Int64) {
        state.withLock { state in
            if state.entries[id]?.epoch == epoch { state.entries[id] = nil }
        }
        departureContinuation.yield()
    }

    /// From now on, no download is created and none starts.
    public func beginShutdown() { state.withLock { $0.isShuttingDown = true } }

    /// Stops every worker and waits until they have ended, unless the waiting task is cancelled.
    ///
    /// - Returns: The number of workers that are still running.
    func shutdown() async -> Int {
        beginShutdown()
        var departures = departures.makeAsyncIterator()
        while stopAll() > 0 && !Task.isCancelled { _ = await departures.next() }
        return count
    }

    /// - Returns: How many workers were told to stop, including repeated requests.
    private func stopAll() -> Int {
        let tasks = state.withLock { $0.entries.values.map(\.task) }
        for task in tasks { task.cancel() }
        return tasks.count
    }

    /// Tells the scheduler about a due instant. Only the earliest unread instant is kept.
    func announceDue(_ time: Timestamp) {
        let isEarliest = state.withLock { state in
            if let due = state.due, due <= time { return false }
            state.due = time
            return true
        }
        if isEarliest { dueContinuation.yield() }
    }

    /// The earliest instant recorded since the last call.
    func removeDue() -> Timestamp? {
        state.withLock { state in
            defer { state.due = nil }
            return state.due
        }
    }
}

/// The progress of a download that a worker of this process runs.
public struct RunningProgress: Sendable {
    public let id: DownloadID
    public let session: SessionName?
    public let reading: ProgressReading

    public init(id: DownloadID, session: SessionName?, reading: ProgressReading) {
        self.id = id
        self.session = session
        self.reading = reading
    }
}
