/// The limits and times of a ``ConnectionRamp``.
public struct RampRules: Hashable, Sendable {
    /// No second connection is opened for what one would fetch within this time anyway.
    public var worthwhileTime: Duration = .seconds(1)
    /// The same for further ones, once the second was of use: what it takes to open one is all that counts against it.
    public var laterWorthwhileTime: Duration = .milliseconds(20)
    /// On top of ``laterWorthwhileTime``: the handshake, the answer, and the slow start (RFC 5681, section 3.1).
    public var openingRoundTrips = 8
    /// The least that two connections share, for each of them, in bytes.
    public var minimumShare: Int64 = 4 << 20
    /// The share by which the sum must grow for an addition to have been of use.
    public var leastGrowth = 0.1
    /// If an addition reaches this part of its possible gain, the next one is fourfold instead of twofold.
    public var fullGrowth = 0.85
    /// The same at the first measurement. It falls to ``leastGrowth`` during the time of grace, because a short
    /// measurement must be clear.
    public var firstGrowth = 0.5
    /// The least time between two additions; a round trip if that is longer.
    public var shortestStep: Duration = .milliseconds(3)
    /// The time after which an addition that did not help is reverted; ``graceRoundTrips`` if that is longer.
    public var shortestGrace: Duration = .milliseconds(250)
    public var graceRoundTrips = 4
    /// The fewest bytes for a meaningful rate, because bytes arrive in bursts.
    public var leastSample: Int64 = 64 << 10
    /// The time after which fewer will do where nothing is compared with them.
    public var longestSample: Duration = .milliseconds(20)
    /// The round trip from which on the second connection is opened at the first byte: to measure a rate would take
    /// another one at least, and the slow start be what is measured.
    public var longRoundTrip: Duration = .milliseconds(30)
    /// The time after an addition that did not help until the next; doubles each time.
    public var firstPause: Duration = .seconds(5)
    public var longestPause: Duration = .seconds(60)

    public init() {}

    func step(roundTrip: Duration) -> Duration { max(shortestStep, roundTrip) }
    func grace(roundTrip: Duration) -> Duration { max(shortestGrace, roundTrip * graceRoundTrips) }

    /// The growth that a measurement of `time` has to show.
    func growth(provedIn time: Duration, roundTrip: Duration) -> Double {
        let part = min(time / grace(roundTrip: roundTrip), 1)
        return leastGrowth + (firstGrowth - leastGrowth) * (1 - part)
    }

    /// How long the rest has to take for further connections to be worth it.
    func worthwhileTime(roundTrip: Duration, isFirst: Bool) -> Duration {
        isFirst ? worthwhileTime : min(laterWorthwhileTime + roundTrip * openingRoundTrips, worthwhileTime)
    }
}

/// How a download fares at one instant.
public struct RampSample: Hashable, Sendable {
    /// Since any instant that stays the same for the download.
    public var at: Duration
    /// What all of its connections have received so far, in bytes. It never falls.
    public var receivedBytes: Int64
    /// The connections that have a share and received its first byte.
    public var connections: Int
    /// What is missing, in bytes.
    public var remainingBytes: Int64
    /// The time from a request to the first byte of its answer over an open connection; nil before it is known.
    public var roundTrip: Duration?
    /// The most connections that the user and the host allow; at least 1.
    public var ceiling: Int

    public init(
        at: Duration,
        receivedBytes: Int64,
        connections: Int,
        remainingBytes: Int64,
        roundTrip: Duration?,
        ceiling: Int
    ) {
        self.at = at
        self.receivedBytes = receivedBytes
        self.connections = connections
        self.remainingBytes = remainingBytes
        self.roundTrip = roundTrip
        self.ceiling = ceiling
    }
}
