import Model
import Synchronization
import Transfers

/// One file of a `get` as the display sees it.
final class ProgressItem: Sendable {
    enum Stage: Sendable {
        case queued
        case running
        /// Until the next attempt; `why` is the last one's failure.
        case waiting(until: ContinuousClock.Instant, why: String)
    }

    let name: String
    let meter: ProgressMeter
    private let stage = Mutex(Stage.queued)

    init(name: String, progress: GetProgress, time: TimeSource) {
        self.name = name
        let known = progress.download.progress
        meter = ProgressMeter(receivedBytes: known.durableBytes, totalBytes: known.totalBytes, time: time)
    }

    func show(_ stage: Stage) {
        self.stage.withLock { $0 = stage }
    }

    /// What is to be shown at `now`; nil while there is nothing to show yet.
    func snapshot(at now: ContinuousClock.Instant) -> ProgressSnapshot? {
        let reading = meter.reading
        let activity: ProgressSnapshot.Activity
        switch stage.withLock({ $0 }) {
        case .queued:
            return nil
        case .waiting(let until, let why):
            activity = .waiting(max(until - now, .zero), why: why)
        case .running:
            switch reading.phase {
            case .probing: activity = .connecting
            case .transferring: activity = .receiving(bytesPerSecond: reading.bytesPerSecond)
            case .verifying: activity = .verifying(reading.verifiedBytes)
            case .publishing: activity = .publishing
            }
        }
        return ProgressSnapshot(
            name: name,
            activity: activity,
            receivedBytes: reading.receivedBytes,
            totalBytes: reading.totalBytes
        )
    }
}
