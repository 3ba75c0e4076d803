import Core
import Synchronization
import Transfer

/// What a line of the display shows.
protocol ProgressSource: AnyObject, Sendable {
    /// The snapshot at `now`; nil if there is nothing to display.
    func snapshot(at now: ContinuousClock.Instant) -> ProgressSnapshot?
}

/// The display state of one file.
final class ProgressItem: ProgressSource {
    enum Stage: Sendable {
        case queued
        case running
        /// Waiting for the next attempt; `why` is the last failure.
        case waiting(until: ContinuousClock.Instant, why: String)
    }

    let name: String
    let meter: ProgressMeter
    private let stage = Mutex(Stage.queued)

    init(name: String, progress: GetProgress, time: TimeSource) {
        self.name = name.printable
        let known = progress.download.progress
        meter = ProgressMeter(receivedBytes: known.durableBytes, totalBytes: known.totalBytes, time: time)
    }

    func show(_ stage: Stage) {
        self.stage.withLock { $0 = stage }
    }

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

/// The displayed progress of one file at an instant.
struct ProgressSnapshot: Hashable, Sendable {
    enum Activity: Hashable, Sendable {
        case connecting
        case receiving(bytesPerSecond: Double)
        /// The bytes that were hashed or compared so far; nil if unknown.
        case verifying(Int64?)
        case publishing
        /// The time until the next attempt, and the reason of the last failure.
        case waiting(Duration, why: String)
        /// Something other than an attempt or a retry keeps the file back.
        case held(String)
    }

    var name: String
    var activity: Activity
    var receivedBytes: Int64
    var totalBytes: Int64?

    /// The done and total bytes of the current phase. The total is nil if unknown.
    var amount: (done: Int64, whole: Int64?) {
        if case .verifying(let verified?) = activity { (verified, receivedBytes) } else { (receivedBytes, totalBytes) }
    }

    /// The completed fraction, 0 to 1; nil if it cannot be computed.
    var fraction: Double? {
        switch activity {
        case .receiving, .verifying(.some): break
        case .connecting, .verifying(nil), .publishing, .waiting, .held: return nil
        }
        guard let whole = amount.whole, whole > 0 else { return nil }
        return min(max(Double(amount.done) / Double(whole), 0), 1)
    }

    /// The remaining time at the current speed; nil if unknown.
    var remaining: Duration? {
        guard case .receiving(let speed) = activity, let totalBytes, speed >= 1 else { return nil }
        let seconds = Double(max(totalBytes - receivedBytes, 0)) / speed
        return seconds < 1e9 ? .seconds(Int64(seconds.rounded(.up))) : nil
    }
}
