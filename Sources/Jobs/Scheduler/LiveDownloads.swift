import Model
import Synchronization
import Transfers

/// The downloads that workers of this process have in hand: where the scheduler enters them, and where
/// whoever changes or shows a download finds its worker and its meter.
public final class LiveDownloads: Sendable {
    struct Entry: Sendable {
        let epoch: Int64
        let meter: ProgressMeter
        let task: Task<Void, Never>
    }

    private struct State {
        var entries: [DownloadID: Entry] = [:]
        var isDraining = false
        var isRecovered = false
    }

    private let state = Mutex(State())
    /// Instants at which the scheduler is to look at the clock's work.
    let dueTimes: AsyncStream<Timestamp>
    private let dueContinuation: AsyncStream<Timestamp>.Continuation

    public init() {
        (dueTimes, dueContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1024))
    }

    /// Whether the service is about to stop, and takes no new downloads.
    public var isDraining: Bool { state.withLock { $0.isDraining } }

    /// Whether what an earlier process left has been taken over.
    public var isRecovered: Bool { state.withLock { $0.isRecovered } }

    func noteRecovered() { state.withLock { $0.isRecovered = true } }

    /// How many workers there are, those that are stopping included.
    public var count: Int { state.withLock { $0.entries.count } }

    func reading(of id: DownloadID, epoch: Int64) -> ProgressReading? {
        state.withLock { $0.entries[id] }.flatMap { $0.epoch == epoch ? $0.meter.reading : nil }
    }

    /// Tells the worker of a claim to stop.
    ///
    /// - Returns: Its task, which ends when it has written its last byte.
    func stop(_ id: DownloadID, epoch: Int64) -> Task<Void, Never>? {
        let entry = state.withLock { $0.entries[id] }
        guard let entry, entry.epoch == epoch else { return nil }
        entry.task.cancel()
        return entry.task
    }

    /// Enters a worker. The one that had the download before, if it is still stopping, is handed to it to wait for.
    func enter(_ id: DownloadID, epoch: Int64, meter: ProgressMeter, start: (Task<Void, Never>?) -> Task<Void, Never>) {
        state.withLock { state in
            state.entries[id] = Entry(epoch: epoch, meter: meter, task: start(state.entries[id]?.task))
        }
    }

    func leave(_ id: DownloadID, epoch: Int64) {
        state.withLock { state in
            if state.entries[id]?.epoch == epoch { state.entries[id] = nil }
        }
    }

    /// Lets no new download in from now on.
    public func beginDraining() { state.withLock { $0.isDraining = true } }

    /// Stops every worker and waits for their ends.
    func drain() async {
        let tasks = state.withLock { state in
            state.isDraining = true
            return state.entries.values.map(\.task)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    /// Lets the scheduler look at the clock's work at `time`.
    func noteDue(_ time: Timestamp) {
        dueContinuation.yield(time)
    }
}
