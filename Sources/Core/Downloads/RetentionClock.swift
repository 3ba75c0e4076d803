/// The clock for retention.
///
/// A clock that is far ahead, like that of a machine without a battery at its start, would delete everything. So the
/// wall clock counts only as far as it is proven: by the newest event recorded before the start, and the time elapsed
/// since. If it stays ahead of that for a day, it is right: the service was down for long.
public struct RetentionClock: Sendable {
    private var proven: Timestamp
    private var elapsed: Duration
    /// How far the wall clock is ahead of what is proven, and since when.
    private var lead: (length: Duration, since: Duration)?

    static let patience = Duration.seconds(86_400)
    /// A smaller lead is accepted at once, and a smaller change is none.
    static let tolerance = Duration.seconds(600)

    /// - Parameters:
    ///   - newestEvent: When the newest event was recorded before this process wrote any; nil where there was none, and
    ///     so no old record either.
    ///   - elapsed: The time of the monotonic clock.
    public init(newestEvent: Timestamp?, now: Timestamp, elapsed: Duration) {
        proven = min(newestEvent ?? now, now)
        self.elapsed = elapsed
    }

    /// The instant against which ages are measured: never later than the wall clock.
    public mutating func instant(now: Timestamp, elapsed: Duration) -> Timestamp {
        proven = proven + max(elapsed - self.elapsed, .zero)
        self.elapsed = elapsed
        let length = now - proven
        if length <= Self.tolerance {
            (proven, lead) = (now, nil)
        } else if let lead, (lead.length - Self.tolerance...lead.length + Self.tolerance).contains(length) {
            if elapsed - lead.since >= Self.patience { (proven, self.lead) = (now, nil) }
        } else {
            lead = (length, elapsed)
        }
        return proven
    }
}

/// Detects whether the wall clock was set back, by comparison with a monotonic clock.
///
/// An instant recorded before a step back is further ahead than intended: its owner looks for instants that were
/// recorded later than now.
public struct ClockStepDetector: Sendable {
    private var last: (now: Timestamp, elapsed: Duration)?

    /// A smaller step makes no wait noticeably longer. NTP makes such steps (ntpd(8)).
    static let tolerance = Duration.seconds(1)

    public init() {}

    /// - Parameter elapsed: The time of the monotonic clock.
    /// - Returns: Whether the clock was set back since the last call; true for the first call, because the time before
    ///   is unknown.
    public mutating func wasSetBack(now: Timestamp, elapsed: Duration) -> Bool {
        defer { last = (now, elapsed) }
        guard let last else { return true }
        return now - last.now < elapsed - last.elapsed - Self.tolerance
    }
}
