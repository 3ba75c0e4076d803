public import Core
import Linux

extension TimeSource {
    /// The system's clocks. `sleep` uses the monotonic clock.
    public static let system = TimeSource(
        now: { Timestamp(milliseconds: WallClock.nowMilliseconds) },
        elapsed: { .now - began },
        // Every timed wait goes through a `TimeSource`, so that tests can move the clock.
        sleep: { try await Task.sleep(for: $0, clock: .continuous) }
    )

    private static let began = ContinuousClock.now
}
