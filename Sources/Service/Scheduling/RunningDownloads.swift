public import Core
import Synchronization
import Transfer

/// The downloads that workers of this process run. The scheduler registers them; the service finds a download's worker
/// and its live progress here.
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
        /// Whether claims may be committed whose workers are not entered yet.
        var isClaiming = false
        /// Claims that were to be stopped before their workers were entered.
        var stoppedEarly: [DownloadID: Int64] = [:]
        /// Downloads that were changed before their workers were registered, so that their claims may be outdated.
        var changedEarly: [DownloadID: Download] = [:]
        var sessionsChangedEarly: [SessionName: SessionRate] = [:]
        /// The earliest due instant that the scheduler has not read yet; nil for none.
        var due: Timestamp?
        var isShuttingDown = false
        /// Whether nothing runs until that is changed, and the number of the change.
        var pause = (isOn: false, number: 0)
        var isRecovered = false
    }

    private let state = Mutex(State())
    /// Yields when ``removeDue()`` has a new instant.
    let dueChanges: AsyncStream<Void>
    private let dueContinuation: AsyncStream<Void>.Continuation
    /// Yields after a worker has left.
    private let departures: AsyncStream<Void>
    private let departureContinuation: AsyncStream<Void>.Continuation

    public init() {
        (dueChanges, dueContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (departures, departureContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Whether the service is about to stop: it takes no new downloads and begins none.
    public var isShuttingDown: Bool { state.withLock { $0.isShuttingDown } }

    /// Whether no download runs, by a limit of the service.
    public var isPaused: Bool { state.withLock { $0.pause.isOn } }

    /// Stops every worker and lets none begin, or lets them begin again. A download that is stopped goes back to the
    /// queue with its bytes.
    ///
    /// - Parameter number: Grows with each change; an older one is ignored.
    /// - Returns: Whether it is a change.
    func setPaused(_ isPaused: Bool, number: Int, now: Timestamp) -> Bool {
        let isChange = state.withLock { state -> Bool in
            guard number > state.pause.number else { return false }
            defer { state.pause = (isPaused, number) }
            return state.pause.isOn != isPaused
        }
        guard isChange else { return false }
        if isPaused { _ = stopAll() } else { recordDue(now) }
        return true
    }

    /// Whether the recovery has ended.
    public var isRecovered: Bool { state.withLock { $0.isRecovered } }

    func recordRecovered() { state.withLock { $0.isRecovered = true } }

    /// How many workers there are, those that are stopping included.
    public var count: Int { state.withLock { $0.entries.count } }

    func reading(of id: DownloadID, epoch: Int64) -> ProgressReading? {
        state.withLock { $0.entries[id] }.flatMap { $0.epoch == epoch ? $0.meter.reading : nil }
    }

    /// How far each of them is, in no order.
    public var readings: [RunningProgress] {
        state.withLock { $0.entries }.map { RunningProgress(id: $0, session: $1.session, reading: $1.meter.reading) }
    }

    /// Stops the worker of a claim, at once or when it is registered: a claim is committed before its worker is
    /// registered.
    ///
    /// - Returns: Its task, which ends when it has written its last byte.
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

    /// The worker of a download, also while it stops, if its claim is no newer than `epoch`.
    func worker(of id: DownloadID, upTo epoch: Int64 = .max) -> Task<Void, Never>? {
        state.withLock { $0.entries[id] }.flatMap { $0.epoch <= epoch ? $0.task : nil }
    }

    /// Records that a claim begins. Its workers are registered before ``endClaim()``.
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

    /// Holds the worker of a download, if there is one, to the limit that the download has now.
    func updateRate(of download: Download) {
        let rate = state.withLock { state in
            if state.isClaiming, state.changedEarly[download.id].map({ $0.revision < download.revision }) ?? true {
                state.changedEarly[download.id] = download
            }
            return state.entries[download.id]?.rate
        }
        rate?.set(download.request.rateBytesPerSecond, revision: download.revision)
    }

    /// Records a changed limit of a session for claims that are not registered yet. The caller then sets it in the
    /// engine, for running downloads.
    func updateRate(of session: SessionRate) {
        state.withLock { state in
            guard state.isClaiming, state.sessionsChangedEarly[session.name]?.revision ?? 0 < session.revision else {
                return
            }
            state.sessionsChangedEarly[session.name] = session
        }
    }

    /// The limit that a session was given since claims are being made.
    func changedRate(of name: SessionName) -> SessionRate? { state.withLock { $0.sessionsChangedEarly[name] } }

    func leave(_ id: DownloadID, epoch: Int64) {
        state.withLock { state in
            if state.entries[id]?.epoch == epoch { state.entries[id] = nil }
        }
        departureContinuation.yield()
    }

    /// From now on no download is created and none begins.
    public func beginDraining() { state.withLock { $0.isShuttingDown = true } }

    /// Stops every worker and waits for their ends, as long as the task that waits is not cancelled itself.
    ///
    /// - Returns: How many are left.
    func shutdown() async -> Int {
        beginDraining()
        var departures = departures.makeAsyncIterator()
        while stopAll() > 0 && !Task.isCancelled { _ = await departures.next() }
        return count
    }

    /// - Returns: How many workers were told to stop, some of them again.
    private func stopAll() -> Int {
        let tasks = state.withLock { $0.entries.values.map(\.task) }
        for task in tasks { task.cancel() }
        return tasks.count
    }

    /// Tells the scheduler of a due instant. The earliest that it has not read is kept.
    func recordDue(_ time: Timestamp) {
        let isEarliest = state.withLock { state in
            if let due = state.due, due <= time { return false }
            state.due = time
            return true
        }
        if isEarliest { dueContinuation.yield() }
    }

    /// The earliest instant that was noted since this was last called.
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
