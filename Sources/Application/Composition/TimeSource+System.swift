public import Core
import Linux

extension TimeSource {
    /// The system's clocks. Waits use the monotonic clock.
    public static let system = TimeSource(
        now: { Timestamp(milliseconds: WallClock.nowMilliseconds) },
        elapsed: { .now - began },
        // Every timed wait goes through a `TimeSource`, so that tests can move the clock.
        sleepUntil: { try await Task.sleep(until: began + $0, clock: .continuous) }
    )

    private static let began = ContinuousClock.now
}
