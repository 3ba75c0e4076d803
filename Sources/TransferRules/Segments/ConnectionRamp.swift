import Core

/// Decides how many connections a download should have: one at first, and more while additional ones increase the rate.
///
/// If an origin limits the rate of each connection, the download soon uses all permitted connections. If the link is
/// the bottleneck, the number stays. To reduce the number, connections that finish get no further share; none is
/// interrupted.
public struct ConnectionRamp: Hashable, Sendable {
    /// The target number of connections.
    public private(set) var desired = 1
    /// The number of connections that a reliable measurement confirmed last; nil before one.
    public private(set) var proven: ProvenConnections?
    /// The connections that the host accepted for another download; nil once they are used.
    private var cached: ProvenConnections?
    private let rules: RampRules
    /// The number of connections that the origin accepts, learned from a refusal; nil before one.
    private var acceptedLimit: Int?
    /// The latest additions that only short measurements confirmed, including the present trial.
    private var climb: [Trial] = []
    /// Whether the last addition is not confirmed yet.
    private var isTrying = false
    /// The start of the present measurement.
    private var baseline: Baseline?
    /// The rate just before all connections of the trial had received bytes.
    private var rateBefore: Double?
    private var nextTrial: Duration?
    private var pause: Duration

    private var trial: Trial? { isTrying ? climb.last : nil }

    /// An addition of connections and the rate to compare with.
    private struct Trial: Hashable {
        /// The number of connections before the addition.
        let previous: Int
        /// The rate with that number, in bytes per second; nil if it was not measured.
        var rate: Double?
        /// Whether that measurement was too short to be reliable.
        var isBrief = true
    }

    private struct Baseline: Hashable {
        let at: Duration
        let receivedBytes: Int64
        /// Whether the target number of connections had received bytes by then.
        let isFull: Bool
    }

    /// - Parameter cached: The connections that the host accepted for another download; nil if unknown. It begins with
    ///   as many, without a measurement, once the first one receives bytes.
    public init(rules: RampRules = RampRules(), cached: ProvenConnections? = nil) {
        self.rules = rules
        self.cached = cached
        pause = rules.firstPause
    }

    /// Processes a sample and returns ``desired``. Call it every few milliseconds while the number may soon change, and
    /// less often afterwards.
    @discardableResult
    public mutating func update(_ reading: RampSample) -> Int {
        let ceiling = max(min(reading.ceiling, acceptedLimit ?? .max), 1)
        if desired > ceiling { setTarget(ceiling) }
        guard let roundTrip = reading.roundTrip else { return desired }
        let isFull = reading.connections >= desired
        guard let baseline, baseline.isFull == isFull else {
            if isFull { endWait(reading, roundTrip) }
            begin(at: reading, isFull)
            if isFull, beginsWithCached(reading, roundTrip, ceiling) { return desired }
            // If the total rate has already grown much since the addition, it will grow further, because of TCP's slow
            // start. The addition is then confirmed when the new connections receive bytes, without another
            // measurement.
            if isFull, let rate = trial?.rate, let rateBefore, rateBefore >= rate * (1 + rules.firstGrowth) {
                grow(reading, roundTrip, rate: rateBefore, ceiling)
            } else if isFull, isFirstFree(roundTrip) {
                grow(reading, roundTrip, rate: nil, ceiling)
            }
            return desired
        }
        let (time, bytes) = (reading.at - baseline.at, reading.receivedBytes - baseline.receivedBytes)
        guard time >= rules.step(roundTrip: roundTrip) else { return desired }
        let rate = Double(bytes) / time.inSeconds
        guard isFull else {
            record(waiting: rate)
            begin(at: reading, isFull)
            return desired
        }
        let isLongEnough = trial == nil && time >= rules.longestSample && bytes > 0
        guard bytes >= rules.leastSample || isLongEnough else { return desired }
        evaluate(reading, roundTrip, rate: rate, over: time, ceiling)
        return desired
    }

    /// Evaluates the last measurement before all connections received bytes.
    private mutating func endWait(_ reading: RampSample, _ roundTrip: Duration) {
        guard let baseline, !baseline.isFull else { return }
        let time = reading.at - baseline.at
        guard time * 4 >= rules.step(roundTrip: roundTrip) * 3 else { return }
        record(waiting: Double(reading.receivedBytes - baseline.receivedBytes) / time.inSeconds)
    }

    private mutating func record(waiting rate: Double) {
        // Without any received bytes there is nothing to compare.
        guard rate > 0 else { return }
        if let trial, trial.rate == nil { climb[climb.count - 1].rate = rate } else { rateBefore = rate }
    }

    private mutating func begin(at reading: RampSample, _ isFull: Bool) {
        baseline = Baseline(at: reading.at, receivedBytes: reading.receivedBytes, isFull: isFull)
    }

    private mutating func evaluate(
        _ reading: RampSample,
        _ roundTrip: Duration,
        rate: Double,
        over time: Duration,
        _ ceiling: Int
    ) {
        let isGraceOver = time >= rules.grace(roundTrip: roundTrip)
        let least = trial?.rate.map { $0 * (1 + rules.growth(provedIn: time, roundTrip: roundTrip)) }
        if let trial, let least, rate < least {
            guard isGraceOver else { return }
            // After a short measurement, an addition without success is tried once more and compared with a long
            // measurement.
            let isRepeated = trial.isBrief && grow(reading, roundTrip, rate: rate, ceiling)
            if isRepeated {
                climb[climb.count - 1].isBrief = false
            } else {
                revert(trial, rate: rate, at: reading.at)
            }
        } else if !grow(reading, roundTrip, rate: rate, ceiling), isGraceOver {
            keepOrReduce(rate: rate, at: reading.at)
        }
    }

    /// Adds connections if the conditions for an addition are met.
    @discardableResult
    private mutating func grow(_ reading: RampSample, _ roundTrip: Duration, rate: Double?, _ ceiling: Int) -> Bool {
        let last = trial
        isTrying = false
        guard mayGrow(reading, roundTrip, rate: rate, ceiling) else { return false }
        climb.append(Trial(previous: desired, rate: rate, isBrief: nextTrial == nil))
        isTrying = true
        var isClear = false
        if let rate, let last, let before = last.rate {
            isClear = rate * Double(last.previous) >= rules.fullGrowth * before * Double(desired)
        }
        desired = min(desired * (isClear ? 4 : 2), mostUseful(reading, ceiling))
        baseline = nil
        rateBefore = nil
        return true
    }

    /// Begins with the connections that the host accepted for another download, if one would take long at that rate.
    private mutating func beginsWithCached(_ reading: RampSample, _ roundTrip: Duration, _ ceiling: Int) -> Bool {
        guard let cached, reading.connections > 0 else { return false }
        self.cached = nil
        guard desired == 1, climb.isEmpty, nextTrial == nil,
            mayGrow(reading, roundTrip, rate: cached.bytesPerSecond, ceiling)
        else { return false }
        desired = min(cached.count, mostUseful(reading, ceiling))
        baseline = nil
        return true
    }

    /// Whether the second connection is opened at the first byte of the first one.
    private func isFirstFree(_ roundTrip: Duration) -> Bool {
        desired == 1 && climb.isEmpty && nextTrial == nil && roundTrip >= rules.longRoundTrip
    }

    private func mayGrow(_ reading: RampSample, _ roundTrip: Duration, rate: Double?, _ ceiling: Int) -> Bool {
        // Connections above the target are still finishing their shares, so the effect of another one cannot be
        // measured.
        guard desired < mostUseful(reading, ceiling), reading.connections == desired else { return false }
        if let nextTrial, reading.at < nextTrial { return false }
        let rateOfEach = rate.map { $0 / Double(max(reading.connections, 1)) }
        guard reading.remainingBytes / 2 >= rules.leastShare(rate: rateOfEach) else { return false }
        guard let rate else { return true }
        let worthwhileTime = rules.worthwhileTime(roundTrip: roundTrip, isFirst: climb.isEmpty)
        return Double(reading.remainingBytes) >= rate * worthwhileTime.inSeconds
    }

    /// The largest number of connections of which each has enough to fetch.
    private func mostUseful(_ reading: RampSample, _ ceiling: Int) -> Int {
        min(ceiling, Int(clamping: reading.remainingBytes / rules.leastShare(rate: 0)))
    }

    /// Re-evaluates all additions of the climb with the present reliable rate.
    private mutating func keepOrReduce(rate: Double, at instant: Duration) {
        let supported = supported(by: rate)
        // A download that never tried a second connection says nothing about the host.
        if desired > 1 { proven = ProvenConnections(count: supported, bytesPerSecond: rate / Double(supported)) }
        if supported < desired {
            setTarget(supported, pausingFrom: instant)
        } else if !climb.isEmpty {
            climb = []
            pause = rules.firstPause
        }
        // A later addition is compared with the rate at that time.
        baseline = nil
    }

    private mutating func revert(_ trial: Trial, rate: Double, at instant: Duration) {
        // A fourfold increase may have added too many: keep as many as this rate needs, if each connection transfers as
        // much as one did before.
        let needed = climb.dropLast().reduce(trial.previous) { needed, earlier in
            guard let earlierRate = earlier.rate else { return needed }
            let ratio = rate / earlierRate * Double(earlier.previous)
            return ratio < Double(needed) ? max(Int(ratio.rounded(.up)), 1) : needed
        }
        let number = min(supported(by: rate), needed)
        setTarget(number, pausingFrom: instant)
        proven = ProvenConnections(count: number, bytesPerSecond: rate / Double(number))
    }

    /// The largest number of connections for which each doubling of the climb increased the rate by at least
    /// `leastGrowth`.
    private func supported(by rate: Double) -> Int {
        guard let first = climb.first(where: { $0.rate != nil }), let firstRate = first.rate else { return desired }
        var (number, least) = (first.previous, firstRate * (1 + rules.leastGrowth))
        while number < desired, rate >= least {
            number = min(number * 2, desired)
            least *= 1 + rules.leastGrowth
        }
        return number
    }

    private mutating func setTarget(_ number: Int, pausingFrom instant: Duration) {
        setTarget(number)
        nextTrial = instant + pause
        pause = min(pause * 2, rules.longestPause)
    }

    private mutating func setTarget(_ number: Int) {
        desired = number
        isTrying = false
        climb = []
        baseline = nil
    }

    /// Restarts the measurement, because the transfer was throttled in the meantime.
    public mutating func forgetMeasurement() { baseline = nil }

    /// Records that the origin refused a further connection: with 403, 429, 503, with the whole file in response to a
    /// range request, or with a reset. The number of working connections becomes the limit.
    public mutating func recordRefusal(working: Int) {
        let acceptedLimit = max(min(working, acceptedLimit ?? .max), 1)
        self.acceptedLimit = acceptedLimit
        proven = nil
        if desired > acceptedLimit { setTarget(acceptedLimit) }
    }
}
