/// The clock from which retention measures ages.
///
/// A clock that is far ahead, as on a machine without a clock battery after boot, would delete everything. So the wall
/// clock is trusted only up to the proven time: the time of the newest event before the start plus the time elapsed
/// since. If the clock stays ahead of it for a day, it is accepted: the service was down for a long time.
///
/// Events recorded while the clock is in doubt prove nothing, so the ``Doubt`` is stored and outlives the process.
public struct RetentionClock: Sendable {
    /// The state while the wall clock is ahead of the proven time.
    public struct Doubt: Hashable, Sendable {
        /// The latest instant that is proven to have passed.
        public var proven: Timestamp
        /// The wall clock when the doubt began; nil if it was not checked yet.
        public var claimedAt: Timestamp?
        /// How long the clock has since agreed with that reading, while a service ran.
        public var duration: Duration

        public init(proven: Timestamp, claimedAt: Timestamp? = nil, duration: Duration = .zero) {
            self.proven = proven
            self.claimedAt = claimedAt
            self.duration = duration
        }
    }

    /// A reading of the wall clock that is not proven.
    private struct Claim {
        let at: Timestamp
        var duration: Duration
        /// How far the clock is ahead of the proven time; nil if an earlier process recorded the claim.
        var lead: Duration?

        /// Whether the clock was not set since the claim. While no service runs, it may advance by any time.
        func agrees(with now: Timestamp, lead length: Duration) -> Bool {
            guard let lead else { return now >= at + duration - RetentionClock.tolerance }
            return (lead - RetentionClock.tolerance...lead + RetentionClock.tolerance).contains(length)
        }
    }

    private var proven: Timestamp
    private var elapsed: Duration
    private var claim: Claim?

    static let patience = Duration.seconds(86_400)
    /// A smaller lead is accepted at once, and a smaller change of the lead is ignored.
    static let tolerance = Duration.seconds(600)

    /// The doubt to store for the next process; nil if the wall clock is trusted.
    public var doubt: Doubt? { claim.map { Doubt(proven: proven, claimedAt: $0.at, duration: $0.duration) } }

    /// - Parameters:
    ///   - doubt: The doubt of the previous process, or else the time of the newest event that an earlier process
    ///     recorded; nil if there is neither, so that there are no old records.
    ///   - elapsed: The reading of the monotonic clock.
    public init(_ doubt: Doubt?, now: Timestamp, elapsed: Duration) {
        proven = min(doubt?.proven ?? now, now)
        self.elapsed = elapsed
        if let doubt, let at = doubt.claimedAt { claim = Claim(at: at, duration: doubt.duration) }
    }

    /// The instant from which ages are measured. It is never later than the wall clock.
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

    /// Accepts a claim as proven. The time without a running service since the claim is not known yet.
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

/// Detects that the wall clock was set back, by comparison with a monotonic clock.
///
/// After that, an instant recorded earlier is too far in the future. The caller then searches for instants that were
/// recorded later than now.
public struct ClockStepDetector: Sendable {
    private var last: (now: Timestamp, elapsed: Duration)?

    /// A smaller step delays no wait noticeably. NTP makes such steps (ntpd(8)).
    static let tolerance = Duration.seconds(1)

    public init() {}

    /// - Parameter elapsed: The reading of the monotonic clock.
    /// - Returns: Whether the clock was set back since the last call. True for the first call, because the time before
    ///   is unknown.
    public mutating func wasSetBack(now: Timestamp, elapsed: Duration) -> Bool {
        defer { last = (now, elapsed) }
        guard let last else { return true }
        return now - last.now < elapsed - last.elapsed - Self.tolerance
    }
}
