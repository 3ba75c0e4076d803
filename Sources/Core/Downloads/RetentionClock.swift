/// Tells how late it is for what is kept for a time and then deleted.
///
/// A clock that is far ahead, as that of a machine without a battery at its start, would delete everything. So the wall
/// clock counts only as far as something proves it: the newest event that was recorded before the start, and the time
/// that has passed since. Where it stays ahead of that for a day, it is right: the service was down for long.
public struct RetentionClock: Sendable {
    private var proven: Timestamp
    private var elapsed: Duration
    /// How far the wall clock is ahead of what is proven, and since when.
    private var lead: (length: Duration, since: Duration)?

    static let patience = Duration.seconds(86_400)
    /// What is ahead by less is believed at once, and a change that is smaller is none.
    static let tolerance = Duration.seconds(600)

    /// - Parameters:
    ///   - newestEvent: When the newest event was recorded before this process wrote any; nil where there was none, and
    ///     so no old record either.
    ///   - elapsed: The time that has passed, on the clock that nobody sets.
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

/// Finds out whether the wall clock was set back, by a clock that nobody sets.
///
/// An instant that was recorded before then lies further ahead than it was meant to: whoever keeps such instants looks
/// for those that were recorded later than it is now.
public struct ClockStepDetector: Sendable {
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
