import Linux
import Model

extension TimeSource {
    /// The machine's clocks. Sleeping follows the one that a change of the wall clock does not move.
    static let system = TimeSource(
        now: { Timestamp(milliseconds: WallClock.nowMilliseconds) },
        // The one place where the program waits for time: whoever else does takes a `TimeSource`, as tests turn theirs.
        sleep: { try await Task.sleep(for: $0, clock: .continuous) }
    )
}
