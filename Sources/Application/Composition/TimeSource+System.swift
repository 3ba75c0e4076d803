public import Core
import Linux

extension TimeSource {
    /// The machine's clocks. Sleeping follows the one that a change of the wall clock does not move.
    public static let system = TimeSource(
        now: { Timestamp(milliseconds: WallClock.nowMilliseconds) },
        elapsed: { .now - began },
        // Whatever waits for time by a rule waits here, through a `TimeSource`, so that tests can turn the clock.
        sleep: { try await Task.sleep(for: $0, clock: .continuous) }
    )

    private static let began = ContinuousClock.now
}
