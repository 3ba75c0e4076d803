/// How many connections a download should have: one at first, twice as many as long as that makes it faster.
///
/// An origin that limits each connection is soon fetched from with all that are allowed; one whose link is the limit
/// keeps what it has. Fewer are wanted by giving those that end no further share, never by cutting one off.
public struct ConnectionRamp: Hashable, Sendable {
    /// The connections that the download should have.
    public private(set) var desired = 1
    private let rules: RampRules
    /// What the origin was seen to bear; nil while it refused nothing.
    private var bearable: Int?
    private var trial: Trial?
    /// The additions in a row that were proved by short measurements only, as one.
    private var climb: Trial?
    /// Where the measurement of the present number began; nil while fewer are at work.
    private var mark: Mark?
    private var nextTrial: Duration?
    private var pause: Duration

    /// An addition that has yet to prove useful.
    private struct Trial: Hashable {
        /// The number before it.
        let previous: Int
        /// In bytes per second, of the smaller number.
        let rate: Double
    }

    private struct Mark: Hashable {
        let at: Duration
        let receivedBytes: Int64
    }

    public init(rules: RampRules = RampRules()) {
        self.rules = rules
        pause = rules.firstPause
    }

    /// Takes a reading, every few milliseconds while the number may soon change and less often afterwards, and answers
    /// with ``desired``.
    @discardableResult
    public mutating func update(_ reading: RampReading) -> Int {
        let ceiling = max(min(reading.ceiling, bearable ?? .max), 1)
        if desired > ceiling { settle(at: ceiling) }
        guard let latency = reading.latency, reading.connections >= desired else {
            mark = nil
            return desired
        }
        guard let mark else {
            self.mark = Mark(at: reading.at, receivedBytes: reading.receivedBytes)
            return desired
        }
        let (time, bytes) = (reading.at - mark.at, reading.receivedBytes - mark.receivedBytes)
        guard time >= rules.step(latency: latency), bytes >= rules.leastSample else { return desired }
        let isGraceOver = time >= rules.grace(latency: latency)
        let rate = Double(bytes) / time.inSeconds
        if let trial, rate < trial.rate * (1 + rules.growth(provedIn: time, latency: latency)) {
            if isGraceOver { settle(at: min(supported(by: rate), trial.previous), pausingFrom: reading.at) }
            return desired
        }
        trial = nil
        if mayGrow(reading, rate: rate, ceiling: ceiling) {
            let trial = Trial(previous: desired, rate: rate)
            self.trial = trial
            climb = climb ?? trial
            desired = min(desired * 2, ceiling)
            self.mark = nil
        } else if isGraceOver {
            holdOrDescend(rate: rate, at: reading.at)
        }
        return desired
    }

    /// Looks back at the whole climb, now that there is a rate that can be relied on.
    private mutating func holdOrDescend(rate: Double, at instant: Duration) {
        let supported = supported(by: rate)
        if supported < desired {
            settle(at: supported, pausingFrom: instant)
        } else if climb != nil {
            climb = nil
            pause = rules.firstPause
        }
        // The rate that a later addition is compared with is to be that of its time.
        mark = nil
    }

    /// The number of connections up to which each addition of the climb may have been of use.
    private func supported(by rate: Double) -> Int {
        guard let climb else { return desired }
        var (number, least) = (climb.previous, climb.rate * (1 + rules.leastGrowth))
        while number < desired, rate >= least {
            number = min(number * 2, desired)
            least *= 1 + rules.leastGrowth
        }
        return number
    }

    private func mayGrow(_ reading: RampReading, rate: Double, ceiling: Int) -> Bool {
        // Connections above the number still finish their shares: what one more would bring cannot be seen.
        guard desired < ceiling, reading.connections == desired else { return false }
        if let nextTrial, reading.at < nextTrial { return false }
        guard reading.remainingBytes / 2 >= rules.minimumShare else { return false }
        return Double(reading.remainingBytes) >= rate * rules.worthwhileTime.inSeconds
    }

    private mutating func settle(at number: Int, pausingFrom instant: Duration) {
        settle(at: number)
        nextTrial = instant + pause
        pause = min(pause * 2, rules.longestPause)
    }

    private mutating func settle(at number: Int) {
        desired = number
        trial = nil
        climb = nil
        mark = nil
    }

    /// Notes that the origin refused a further connection: it answered 403, 429, 503, or a range with the whole, or
    /// reset the connection at its start. The download asks for no more than those that worked.
    public mutating func noteRefusal(working: Int) {
        let bearable = max(min(working, bearable ?? .max), 1)
        self.bearable = bearable
        if desired > bearable { settle(at: bearable) }
    }
}
