import Core
import Synchronization

/// Ends an attempt whose file comes too slowly, all of its connections together.
///
/// A period in which a limit on the rate or the disk held the bytes back counts neither way, nor does the time in which
/// none are asked for (``LowSpeedDuration``).
final class LowSpeedMonitor: Sendable {
    private let floor: LowSpeedLimit
    private let meter: ProgressMeter
    private let time: TimeSource
    private let isLimited: @Sendable () -> Bool
    private let isTooSlow = Atomic<Bool>(false)

    /// - Parameter isLimited: Whether a limit on the rate holds the download back.
    init(_ floor: LowSpeedLimit, _ meter: ProgressMeter, _ time: TimeSource, isLimited: @escaping @Sendable () -> Bool)
    {
        self.floor = floor
        self.meter = meter
        self.time = time
        self.isLimited = isLimited
    }

    /// Carries an attempt out, and cancels it once it is too slow; ``cause(of:)`` says so then.
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

    /// What ended the attempt: the pace, where it was stopped for that.
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

    private func isHeldBack(since instant: Duration) -> Bool { isLimited() || meter.wasHeldByDisk(after: instant) }
}

extension Int64? {
    /// Nil where either is.
    fileprivate func difference(from earlier: Self) -> Self {
        guard let self, let earlier else { return nil }
        return self - earlier
    }
}

/// A pace below which a download is given up for a while: curl's `--speed-limit` and `--speed-time` (curl(1)).
public struct LowSpeedLimit: Hashable, Sendable {
    public let bytesPerSecond: Int64
    /// How long a download may stay below it.
    public let time: Duration

    public init(bytesPerSecond: Int64, time: Duration) {
        self.bytesPerSecond = bytesPerSecond
        self.time = time
    }
}

/// For how long a download has stayed below a floor, period after period.
struct LowSpeedDuration: Hashable {
    private let floor: LowSpeedLimit
    private var slow = Duration.zero

    /// What the pace is the mean of, at most.
    private static let longestPeriod = Duration.seconds(5)

    init(_ floor: LowSpeedLimit) { self.floor = floor }

    /// How long it may be, at least a second.
    private var limit: Duration { max(floor.time, .seconds(1)) }

    /// How often the bytes are to be looked at.
    var period: Duration { min(limit / 4, Self.longestPeriod) }

    var isOver: Bool { slow >= limit }

    /// Notes what a period brought. One that is fast enough begins the count anew.
    ///
    /// - Parameter bytes: What came; nil for a period that counts neither way, since a limit or the disk held the bytes
    ///   back, or none were asked for.
    mutating func record(_ bytes: Int64?, in period: Duration) {
        guard let bytes else { return }
        let isSlow = Double(bytes) < Double(floor.bytesPerSecond) * period.inSeconds
        slow = isSlow ? slow + period : .zero
    }
}
