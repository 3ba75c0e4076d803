/// The numbers that a ``ConnectionRamp`` goes by.
public struct RampRules: Hashable, Sendable {
    /// No connection is added to what would be fetched within this time anyway.
    public var worthwhileTime: Duration = .seconds(1)
    /// The least that two connections share, for each of them, in bytes.
    public var minimumShare: Int64 = 4 << 20
    /// The share by which the sum must grow for an addition to have been of use.
    public var leastGrowth = 0.1
    /// The same at the first look, from where it falls to ``leastGrowth`` in the time of grace: a short measurement
    /// has to be clear.
    public var firstGrowth = 0.5
    /// The least time between two additions; a latency, where that is longer.
    public var shortestStep: Duration = .milliseconds(4)
    /// The time after which an addition that did not help is taken back; ``graceLatencies``, where that is longer.
    public var shortestGrace: Duration = .milliseconds(250)
    public var graceLatencies = 4
    /// The bytes below which a rate says nothing: they come in bursts.
    public var leastSample: Int64 = 64 << 10
    /// The time after an addition that did not help until the next; doubles each time.
    public var firstPause: Duration = .seconds(5)
    public var longestPause: Duration = .seconds(60)

    public init() {}

    func step(latency: Duration) -> Duration { max(shortestStep, latency) }
    func grace(latency: Duration) -> Duration { max(shortestGrace, latency * graceLatencies) }

    /// The growth that a measurement of `time` has to show.
    func growth(provedIn time: Duration, latency: Duration) -> Double {
        let part = min(time / grace(latency: latency), 1)
        return leastGrowth + (firstGrowth - leastGrowth) * (1 - part)
    }
}
