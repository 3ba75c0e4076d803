/// Finds out whether the wall clock was set back, by comparing it with a clock that nobody sets.
///
/// An instant that was recorded before the clock was set back now lies too far ahead. The owner of such instants looks
/// for those that were recorded later than now.
public struct ClockWatch: Sendable {
    private var last: (now: Timestamp, elapsed: Duration)?

    /// A smaller step makes no wait noticeably longer. Clocks that are kept by NTP make such steps (ntpd(8)).
    static let tolerance = Duration.seconds(1)

    public init() {}

    /// - Parameter elapsed: The time that has passed, on the clock that nobody sets.
    /// - Returns: Whether the clock was set back since the last call; true for the first call, since nobody knows what
    ///   happened before.
    public mutating func wasSetBack(now: Timestamp, elapsed: Duration) -> Bool {
        defer { last = (now, elapsed) }
        guard let last else { return true }
        return now - last.now < elapsed - last.elapsed - Self.tolerance
    }
}
