import Core
import Synchronization

/// Cancels an attempt whose connections together are too slow.
///
/// Periods in which a rate limit or the disk delayed the transfer do not count, nor do phases without a transfer
/// (``LowSpeedDuration``).
final class LowSpeedMonitor: Sendable {
    private let floor: LowSpeedLimit
    private let meter: ProgressMeter
    private let time: TimeSource
    private let wasLimited: @Sendable (Duration) -> Bool
    private let isTooSlow = Atomic<Bool>(false)

    /// - Parameter wasLimited: Whether a rate limit delayed the download after an instant.
    init(
        _ floor: LowSpeedLimit,
        _ meter: ProgressMeter,
        _ time: TimeSource,
        wasLimited: @escaping @Sendable (Duration) -> Bool
    ) {
        self.floor = floor
        self.meter = meter
        self.time = time
        self.wasLimited = wasLimited
    }

    /// Runs an attempt and cancels it when it is too slow. ``cause(of:)`` then returns `low_speed`.
    func run(_ attempt: @escaping @Sendable () async -> AttemptOutcome) async -> AttemptOutcome {
        await withTaskGroup(of: AttemptOutcome?.self) { group in
            group.addTask { await attempt() }
            group.addTask {
                await self.watch()
                return nil
            }
            var outcome = AttemptOutcome(.stopped, madeProgress: false)
            for await ended in group {
                if let ended { outcome = ended }
                group.cancelAll()
            }
            return outcome
        }
    }

    /// The reason of the interruption: `low_speed` if this monitor cancelled the attempt.
    func cause(of interruption: AttemptInterruption) -> AttemptInterruption {
        guard case .stopped = interruption, isTooSlow.load(ordering: .acquiring) else { return interruption }
        let (pace, seconds) = (floor.bytesPerSecond, floor.time.components.seconds)
        return .failed(
            DownloadError(
                .lowSpeed,
                message: "The transfer was slower than \(pace) bytes per second for \(seconds) seconds."
            )
        )
    }

    private func watch() async {
        var slowTime = LowSpeedDuration(floor)
        var (lastBytes, lastLook) = (meter.transferredBytes, time.elapsed)
        while !slowTime.isOver {
            guard (try? await time.sleep(for: slowTime.period)) != nil else { return }
            let (bytes, now) = (meter.transferredBytes, time.elapsed)
            slowTime.record(isHeldBack(since: lastLook) ? nil : bytes.difference(from: lastBytes), in: now - lastLook)
            (lastBytes, lastLook) = (bytes, now)
        }
        isTooSlow.store(true, ordering: .releasing)
    }

    private func isHeldBack(since instant: Duration) -> Bool {
        wasLimited(instant) || meter.wasHeldByDisk(after: instant)
    }
}

extension Int64? {
    /// The number of bytes between two readings; nil if either is nil.
    fileprivate func difference(from earlier: Self) -> Self {
        guard let self, let earlier else { return nil }
        return self - earlier
    }
}

/// The minimum speed of a download, like curl's `--speed-limit` and `--speed-time` (curl(1)). A slower attempt ends and
/// is retried later.
public struct LowSpeedLimit: Hashable, Sendable {
    public let bytesPerSecond: Int64
    /// How long the speed may stay below the limit.
    public let time: Duration

    public init(bytesPerSecond: Int64, time: Duration) {
        self.bytesPerSecond = bytesPerSecond
        self.time = time
    }
}

/// Measures for how long a download has been slower than a limit.
struct LowSpeedDuration: Hashable {
    private let floor: LowSpeedLimit
    private var slow = Duration.zero

    /// The longest period over which the speed is averaged.
    private static let longestPeriod = Duration.seconds(5)

    init(_ floor: LowSpeedLimit) { self.floor = floor }

    /// The allowed duration, at least one second.
    private var limit: Duration { max(floor.time, .seconds(1)) }

    /// The interval between two measurements.
    var period: Duration { min(limit / 4, Self.longestPeriod) }

    var isOver: Bool { slow >= limit }

    /// Records the bytes of one period. A period that is fast enough resets the duration.
    ///
    /// - Parameter bytes: The bytes received; nil for a period that does not count: a rate limit or the disk delayed
    ///   the transfer, or nothing was transferred.
    mutating func record(_ bytes: Int64?, in period: Duration) {
        guard let bytes else { return }
        let isSlow = Double(bytes) < Double(floor.bytesPerSecond) * period.inSeconds
        slow = isSlow ? slow + period : .zero
    }
}
