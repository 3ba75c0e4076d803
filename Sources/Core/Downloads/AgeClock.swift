/// The instants by which the age of something is measured (docs/decisions/0032).
public struct AgeClock: Hashable, Sendable {
    /// The instant of ``RetentionClock``.
    public var proven: Timestamp
    /// The wall clock.
    public var now: Timestamp
    /// Since when the wall clock was not set. Ages since then are exact.
    public var steadySince: Timestamp

    public init(proven: Timestamp, now: Timestamp, steadySince: Timestamp) {
        (self.proven, self.now, self.steadySince) = (proven, now, steadySince)
    }

    /// The latest end that is past a period; nil for none.
    ///
    /// - Parameters:
    ///   - period: nil means forever. A period of zero is over whatever the clock says.
    ///   - instant: The instant from which the age is measured.
    public static func latestEnd(of period: Duration?, at instant: Timestamp) -> Timestamp? {
        guard let period else { return nil }
        return period == .zero ? Timestamp(milliseconds: .max) : instant - period
    }
}

/// Observes since when the wall clock was not set, by comparison with a monotonic clock.
public struct ClockSteadiness: Sendable {
    /// The wall clock when the observation began, or when it was last set.
    public private(set) var since: Timestamp
    private var last: (now: Timestamp, elapsed: Duration)

    static let tolerance = Duration.seconds(1)

    public init(now: Timestamp, elapsed: Duration) {
        since = now
        last = (now, elapsed)
    }

    /// Must be called more often than a correction by less than a second could add up: once a minute.
    public mutating func check(now: Timestamp, elapsed: Duration) {
        let step = (now - last.now) - (elapsed - last.elapsed)
        if !(.zero - Self.tolerance...Self.tolerance).contains(step) { since = now }
        last = (now, elapsed)
    }
}
