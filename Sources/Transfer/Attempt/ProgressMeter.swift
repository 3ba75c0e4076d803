public import Core
import Synchronization
import TransferRules

/// The live progress of a running download, which includes bytes that are not durable yet.
public final class ProgressMeter: Sendable {
    private struct State {
        var phase = DownloadPhase.probing
        var received: Int64
        var total: Int64?
        var verified: Int64?
        var connections = 0
        var speed = SpeedGauge()
        var sources: SourceTable?
        var window: FlushWindow?
        /// The recorded segments before the first response.
        var recorded: [Segment]
        var plan: SharedPlan?
    }

    private let state: Mutex<State>
    private let time: TimeSource

    /// - Parameters:
    ///   - recorded: The recorded segments of the part file.
    ///   - time: The clock for speed measurements.
    public init(
        receivedBytes: Int64 = 0,
        totalBytes: Int64? = nil,
        recorded: [Segment] = [],
        time: TimeSource
    ) {
        self.time = time
        state = Mutex(State(received: receivedBytes, total: totalBytes, recorded: recorded))
    }

    public var reading: ProgressReading {
        let now = time.elapsed
        let sources = state.withLock { $0.sources }?.readings ?? []
        return state.withLock { state in
            ProgressReading(
                phase: state.phase,
                receivedBytes: state.received,
                totalBytes: state.total,
                verifiedBytes: state.verified,
                bytesPerSecond: state.speed.bytesPerSecond(at: now),
                connections: state.connections,
                sources: sources
            )
        }
    }

    /// The ranges of the file as they are now. They are computed on each call, and only here.
    public var segments: [SegmentReading] {
        let state = state.withLock { $0 }
        let rate = state.speed.bytesPerSecond(at: time.elapsed)
        if state.plan?.isOpenEnded == true, [.verifying, .publishing].contains(state.phase) {
            // The body has ended, so its size is known.
            return .whole(total: state.received, receivedBytes: state.received)
        }
        if let plan = state.plan { return plan.readings(state.sources?.receivingAuthorities ?? [:], soleRate: rate) }
        guard state.recorded.isEmpty else { return state.recorded.readings(total: state.total) }
        // A small body is received in memory, without a plan.
        let isTransferring = state.phase == .transferring
        return .whole(
            total: state.total,
            receivedBytes: state.received,
            bytesPerSecond: isTransferring ? rate : nil
        )
    }

    /// The bytes received in phase `transferring`; nil in other phases.
    var transferredBytes: Int64? { state.withLock { $0.phase == .transferring ? $0.received : nil } }

    /// Whether the disk delayed the transfer after `instant`.
    func wasHeldByDisk(after instant: Duration) -> Bool {
        state.withLock { $0.window }?.wasFull(after: instant) ?? false
    }

    /// Sets the window that limits how many bytes may be written but not yet recorded.
    func show(_ window: FlushWindow) { state.withLock { $0.window = window } }

    /// Sets the sources that the readings include.
    func show(_ sources: SourceTable) { state.withLock { $0.sources = sources } }

    /// Sets the plan that the segments are read from.
    func show(_ plan: SharedPlan) { state.withLock { $0.plan = plan } }

    /// Records that every byte of the part file was discarded.
    func restart() {
        state.withLock { state in
            state.received = 0
            state.recorded = []
            state.plan = nil
        }
    }

    func enter(_ phase: DownloadPhase) {
        state.withLock {
            $0.phase = phase
            $0.verified = nil
            if phase != .transferring { $0.connections = 0 }
        }
    }

    func begin(at received: Int64, total: Int64?) {
        let now = time.elapsed
        state.withLock {
            $0.phase = .transferring
            $0.received = received
            $0.total = total
            $0.verified = nil
            $0.connections = 1
            $0.speed.begin(at: received, now: now)
            guard received == 0 else { return }
            $0.recorded = []
            $0.plan = nil
        }
    }

    /// Records the number of bytes hashed or compared so far, in phase `verifying`.
    func recordVerified(_ bytes: Int64) {
        state.withLock {
            guard $0.phase == .verifying else { return }
            // Reports from concurrent jobs can arrive out of order.
            $0.verified = max($0.verified ?? 0, bytes)
        }
    }

    /// - Parameter connections: The number of connections that transfer now.
    func advance(to received: Int64, connections: Int = 1) {
        let now = time.elapsed
        state.withLock {
            // Reports from concurrent connections can arrive out of order.
            guard received >= $0.received else { return }
            $0.received = received
            $0.connections = connections
            $0.speed.advance(to: received, now: now)
        }
    }
}

/// The transfer speed, averaged over a sliding window.
///
/// Instants are durations since a fixed instant.
struct SpeedGauge {
    private let window: Duration
    private let spacing: Duration
    private var samples: [Sample] = []
    private var latest: Int64 = 0
    private var beganAt: Duration?
    private var changedAt: Duration?

    /// The time is in nanoseconds, because a `Duration` takes twice as much memory. Each download has up to 22 samples.
    private struct Sample {
        let nanoseconds: Int64
        let bytes: Int64

        init(_ bytes: Int64, at now: Duration) {
            let (seconds, attoseconds) = now.components
            nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
            self.bytes = bytes
        }

        var at: Duration { .nanoseconds(nanoseconds) }
    }

    /// - Parameters:
    ///   - window: The time over which the speed is averaged.
    ///   - spacing: The shortest time between two samples.
    init(window: Duration = .seconds(5), spacing: Duration = .milliseconds(250)) {
        self.window = window
        self.spacing = spacing
    }

    mutating func begin(at bytes: Int64, now: Duration) {
        samples = [Sample(bytes, at: now)]
        latest = bytes
        beganAt = now
        changedAt = now
    }

    mutating func advance(to bytes: Int64, now: Duration) {
        if bytes != latest { changedAt = now }
        latest = bytes
        guard let last = samples.last, now - last.at >= spacing else { return }
        samples.append(Sample(bytes, at: now))
        // One sample older than the window is kept, so that the samples always cover the window.
        while samples.count > 2, now - samples[1].at > window { samples.removeFirst() }
    }

    func bytesPerSecond(at now: Duration) -> Double {
        guard let first = samples.first else { return 0 }
        let elapsed = (now - first.at).inSeconds
        return elapsed > 0 ? Double(latest - first.bytes) / elapsed : 0
    }

    /// The time since the first sample.
    func age(at now: Duration) -> Duration { beganAt.map { now - $0 } ?? .zero }

    /// The time since the last byte arrived.
    func silence(at now: Duration) -> Duration { changedAt.map { now - $0 } ?? .zero }
}
