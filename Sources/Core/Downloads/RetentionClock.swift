/// The clock for retention.
///
/// A clock that is far ahead, like that of a machine without a battery at its start, would delete everything. So the
/// wall clock counts only as far as it is proven: by the newest event recorded before the start, and the time elapsed
/// since. If it stays ahead of that for a day, it is right: the service was down for long.
///
/// What was recorded by a clock in doubt proves nothing. So the ``Doubt`` outlives the process.
public struct RetentionClock: Sendable {
    /// What is known while the wall clock is ahead of what is proven.
    public struct Doubt: Hashable, Sendable {
        /// The latest instant that is proven to have passed.
        public var proven: Timestamp
        /// The wall clock when it was first doubted; nil if it was not checked yet.
        public var claimedAt: Timestamp?
        /// For how long it has kept to that, while a service ran.
        public var duration: Duration

        public init(proven: Timestamp, claimedAt: Timestamp? = nil, duration: Duration = .zero) {
            self.proven = proven
            self.claimedAt = claimedAt
            self.duration = duration
        }
    }

    /// What the wall clock says, and nothing proves.
    private struct Claim {
        let at: Timestamp
        var duration: Duration
        /// How far it is ahead of what is proven; nil where an earlier process noted it.
        var lead: Duration?

        /// Whether the clock was not set since. It may advance by any time while no service runs.
        func agrees(with now: Timestamp, lead length: Duration) -> Bool {
            guard let lead else { return now >= at + duration - RetentionClock.tolerance }
            return (lead - RetentionClock.tolerance...lead + RetentionClock.tolerance).contains(length)
        }
    }

    private var proven: Timestamp
    private var elapsed: Duration
    private var claim: Claim?

    static let patience = Duration.seconds(86_400)
    /// A smaller lead is accepted at once, and a smaller change is ignored.
    static let tolerance = Duration.seconds(600)

    /// The doubt to record for the next process; nil if the wall clock is trusted.
    public var doubt: Doubt? { claim.map { Doubt(proven: proven, claimedAt: $0.at, duration: $0.duration) } }

    /// - Parameters:
    ///   - doubt: What the process before knew, or when the newest event was recorded before this process wrote any;
    ///     nil where there was none, and so no old record either.
    ///   - elapsed: The time of the monotonic clock.
    public init(_ doubt: Doubt?, now: Timestamp, elapsed: Duration) {
        proven = min(doubt?.proven ?? now, now)
        self.elapsed = elapsed
        if let doubt, let at = doubt.claimedAt { claim = Claim(at: at, duration: doubt.duration) }
    }

    /// The instant against which ages are measured: never later than the wall clock.
    public mutating func instant(now: Timestamp, elapsed: Duration) -> Timestamp {
        let passed = max(elapsed - self.elapsed, .zero)
        self.elapsed = elapsed
        proven = proven + passed
        claim?.duration += passed
        let lead = now - proven
        if lead <= Self.tolerance {
            (proven, claim) = (now, nil)
        } else if let claim, claim.agrees(with: now, lead: lead) {
            self.claim?.lead = lead
            if claim.duration >= Self.patience { believe(claim, now: now) }
        } else {
            claim = Claim(at: now, duration: .zero, lead: lead)
        }
        return proven
    }

    /// Takes a claim for proven. How long no service ran since it was made is not known yet.
    private mutating func believe(_ claim: Claim, now: Timestamp) {
        proven = max(proven, min(claim.at + claim.duration, now))
        let lead = now - proven
        if lead <= Self.tolerance {
            (proven, self.claim) = (now, nil)
        } else {
            self.claim = Claim(at: now, duration: .zero, lead: lead)
        }
    }
}

/// Detects whether the wall clock was set back, by comparison with a monotonic clock.
///
/// An instant that was recorded before the clock was set back now lies too far ahead. The owner of such instants looks
/// for those that were recorded later than now.
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
