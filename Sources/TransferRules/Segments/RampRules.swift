/// The limits and times of a ``ConnectionRamp``.
public struct RampRules: Hashable, Sendable {
    /// No second connection is opened if one connection would finish within this time.
    public var worthwhileTime: Duration = .seconds(1)
    /// The same limit for further connections, once the second one was useful. Only the cost of opening them counts
    /// then.
    public var laterWorthwhileTime: Duration = .milliseconds(20)
    /// Round trips added to ``laterWorthwhileTime``: handshake, response and slow start (RFC 5681, section 3.1).
    public var openingRoundTrips = 8
    /// The minimum size of each of two shares, in bytes, while the rate is unknown.
    public var minimumShare: Int64 = 4 << 20
    /// The same once the rate is known: what a connection transfers in ``leastShareTime``, but not less than
    /// ``leastShare`` and not more than ``minimumShare``.
    public var leastShareTime: Duration = .milliseconds(100)
    public var leastShare: Int64 = 1 << 20
    /// The relative growth of the total rate that confirms an addition after a long measurement.
    public var leastGrowth = 0.1
    /// If the rate per connection keeps at least this fraction, the next addition is fourfold instead of twofold.
    public var fullGrowth = 0.85
    /// The growth that a measurement of zero length requires. It falls to ``leastGrowth`` over the grace time, because
    /// a short measurement must be clear.
    public var firstGrowth = 0.5
    /// The minimum time between two additions; a round trip if that is longer.
    public var shortestStep: Duration = .milliseconds(3)
    /// The time after which an unsuccessful addition is reverted; ``graceRoundTrips`` if that is longer.
    public var shortestGrace: Duration = .milliseconds(250)
    public var graceRoundTrips = 4
    /// The minimum number of bytes for a reliable rate, because bytes arrive in bursts.
    public var leastSample: Int64 = 64 << 10
    /// The time after which fewer bytes suffice for a measurement that confirms no addition.
    public var longestSample: Duration = .milliseconds(20)
    /// From this round trip on, the second connection is opened at the first byte. Measuring a rate first would take at
    /// least another round trip and would measure the slow start.
    public var longRoundTrip: Duration = .milliseconds(30)
    /// The pause after an unsuccessful addition. It doubles each time, up to `longestPause`.
    public var firstPause: Duration = .seconds(5)
    public var longestPause: Duration = .seconds(60)

    public init() {}

    /// The minimum size of each of two shares, in bytes.
    ///
    /// - Parameter rate: The rate of a connection, in bytes per second; nil if unknown.
    public func leastShare(rate: Double?) -> Int64 {
        guard let rate else { return minimumShare }
        return min(max(ConnectionPace.bytes(in: leastShareTime, at: rate), leastShare), minimumShare)
    }

    /// The least number of missing bytes for two connections.
    public var leastDivisible: Int64 { 2 * leastShare(rate: 0) }

    func step(roundTrip: Duration) -> Duration { max(shortestStep, roundTrip) }
    func grace(roundTrip: Duration) -> Duration { max(shortestGrace, roundTrip * graceRoundTrips) }

    /// The relative growth that a measurement over `time` must show.
    func growth(provedIn time: Duration, roundTrip: Duration) -> Double {
        let part = min(time / grace(roundTrip: roundTrip), 1)
        return leastGrowth + (firstGrowth - leastGrowth) * (1 - part)
    }

    /// The minimum remaining transfer time for which further connections are opened.
    func worthwhileTime(roundTrip: Duration, isFirst: Bool) -> Duration {
        isFirst ? worthwhileTime : min(laterWorthwhileTime + roundTrip * openingRoundTrips, worthwhileTime)
    }
}
