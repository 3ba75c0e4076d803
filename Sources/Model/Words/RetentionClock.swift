/// Tells how late it is for what is kept for a time and then deleted.
///
/// A clock that is far ahead, as that of a machine without a battery at its start, would delete everything. So the wall
/// clock counts only as far as something proves it: the newest event that was recorded before the start, and the time
/// that has passed since. Where it stays ahead of that for a day, it is right: the service was down for long.
///
/// What was recorded by a clock in doubt proves nothing. So the ``Doubt`` outlives the process.
public struct RetentionClock: Sendable {
    /// What is known while the wall clock is ahead of what is proven.
    public struct Doubt: Hashable, Sendable {
        /// The latest instant that is proven to have passed.
        public var proven: Timestamp
        /// What the wall clock said when it was doubted first; nil where nobody looked yet.
        public var claimedAt: Timestamp?
        /// For how long it has kept to that, while a service ran.
        public var held: Duration

        public init(proven: Timestamp, claimedAt: Timestamp? = nil, held: Duration = .zero) {
            self.proven = proven
            self.claimedAt = claimedAt
            self.held = held
        }
    }

    /// What the wall clock says, and nothing proves.
    private struct Claim {
        let at: Timestamp
        var held: Duration
        /// How far it is ahead of what is proven; nil where an earlier process noted it.
        var lead: Duration?

        /// Whether the clock was not set since. While no service runs it may go on for any time.
        func agrees(with now: Timestamp, lead length: Duration) -> Bool {
            guard let lead else { return now >= at + held - RetentionClock.tolerance }
            return (lead - RetentionClock.tolerance...lead + RetentionClock.tolerance).contains(length)
        }
    }

    private var proven: Timestamp
    private var elapsed: Duration
    private var claim: Claim?

    static let patience = Duration.seconds(86_400)
    /// What is ahead by less is believed at once, and a change that is smaller is none.
    static let tolerance = Duration.seconds(600)

    /// What the next process is to know; nil where the wall clock is believed.
    public var doubt: Doubt? { claim.map { Doubt(proven: proven, claimedAt: $0.at, held: $0.held) } }

    /// - Parameters:
    ///   - doubt: What the process before knew, or when the newest event was recorded before this process wrote any;
    ///     nil where there was none, and so no old record either.
    ///   - elapsed: The time that has passed, on the clock that nobody sets.
    public init(_ doubt: Doubt?, now: Timestamp, elapsed: Duration) {
        proven = min(doubt?.proven ?? now, now)
        self.elapsed = elapsed
        if let doubt, let at = doubt.claimedAt { claim = Claim(at: at, held: doubt.held) }
    }

    /// The instant against which ages are measured: never later than the wall clock.
    public mutating func instant(now: Timestamp, elapsed: Duration) -> Timestamp {
        let passed = max(elapsed - self.elapsed, .zero)
        self.elapsed = elapsed
        proven = proven + passed
        claim?.held += passed
        let lead = now - proven
        if lead <= Self.tolerance {
            (proven, claim) = (now, nil)
        } else if let claim, claim.agrees(with: now, lead: lead) {
            self.claim?.lead = lead
            if claim.held >= Self.patience { believe(claim, now: now) }
        } else {
            claim = Claim(at: now, held: .zero, lead: lead)
        }
        return proven
    }

    /// Takes a claim for proven. How long no service ran since it was made is not known yet.
    private mutating func believe(_ claim: Claim, now: Timestamp) {
        proven = max(proven, min(claim.at + claim.held, now))
        let lead = now - proven
        if lead <= Self.tolerance {
            (proven, self.claim) = (now, nil)
        } else {
            self.claim = Claim(at: now, held: .zero, lead: lead)
        }
    }
}
