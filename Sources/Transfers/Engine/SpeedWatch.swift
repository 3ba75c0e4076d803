import Model
import Synchronization

/// Ends an attempt whose file comes too slowly, all of its connections together.
///
/// A period in which a limit on the rate or the disk held the bytes back counts neither way, nor does the time in which
/// none are asked for. A period that is fast enough begins the count anew.
final class SpeedWatch: Sendable {
    private let floor: SpeedFloor
    private let meter: ProgressMeter
    private let time: TimeSource
    private let isLimited: @Sendable () -> Bool
    private let isTooSlow = Atomic<Bool>(false)

    /// What the pace is the mean of, at most.
    private static let longestPeriod = Duration.seconds(5)

    /// - Parameter isLimited: Whether a limit on the rate holds the download back.
    init(_ floor: SpeedFloor, _ meter: ProgressMeter, _ time: TimeSource, isLimited: @escaping @Sendable () -> Bool) {
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
            var outcome = AttemptOutcome.stopped
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
                message: "The file came at less than \(pace) bytes per second for \(seconds) seconds."
            )
        )
    }

    private func watch() async {
        let limit = max(floor.time, .seconds(1))
        let period = min(limit / 4, Self.longestPeriod)
        var slowTime = Duration.zero
        var (lastBytes, lastLook) = (meter.transferredBytes, time.elapsed)
        while slowTime < limit {
            guard (try? await time.sleep(for: period)) != nil else { return }
            let (bytes, now) = (meter.transferredBytes, time.elapsed)
            let (began, before) = (lastLook, lastBytes)
            (lastBytes, lastLook) = (bytes, now)
            guard let bytes, let before, !isLimited(), !meter.wasHeldByDisk(after: began) else { continue }
            let needed = Double(floor.bytesPerSecond) * (now - began).inSeconds
            slowTime = Double(bytes - before) < needed ? slowTime + (now - began) : .zero
        }
        isTooSlow.store(true, ordering: .releasing)
    }
}
