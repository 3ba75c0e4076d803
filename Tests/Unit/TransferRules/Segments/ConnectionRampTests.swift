import Core
import TestSupport
import Testing
import TransferRules

@Suite struct ConnectionRampTests {
    private static let megabyte = 1_000_000.0

    @Test(
        arguments: [
            (perConnection: 10, latency: .milliseconds(1), within: .milliseconds(200)),
            (perConnection: 10, latency: .milliseconds(20), within: .milliseconds(400)),
            (perConnection: 2, latency: .milliseconds(100), within: .seconds(1)),
            (perConnection: 0.1, latency: .milliseconds(50), within: .seconds(1)),
        ] as [(perConnection: Double, latency: Duration, within: Duration)]
    )
    func anOriginThatLimitsEachConnectionIsSoonAskedWithAll(
        perConnection: Double,
        latency: Duration,
        within: Duration
    ) throws {
        var simulation = RampSimulation(perConnection: perConnection * Self.megabyte, latency: latency)

        simulation.run(for: .seconds(20))

        #expect(simulation.changes.map(\.desired) == [1, 2, 8, 16])
        #expect(try #require(simulation.firstTime(of: 16)) <= within)
    }

    /// Each addition takes no longer than its handshake and its answer.
    @Test(arguments: [Duration.milliseconds(50), .milliseconds(150)])
    func theSlowStartOfADistantOriginIsNotWaitedFor(latency: Duration) throws {
        var simulation = RampSimulation(perConnection: 20 * Self.megabyte, latency: latency)
        simulation.beginsSlowly = true

        simulation.run(for: .seconds(20))

        #expect(simulation.changes.map(\.desired) == [1, 2, 8, 16])
        #expect(try #require(simulation.firstTime(of: 16)) <= latency * 7)
    }

    /// The first bytes of an answer may come from a cache or a bucket that is full, and faster than any after them.
    @Test func aBurstAtTheBeginningDoesNotKeepTheOthersAway() {
        var simulation = RampSimulation(perConnection: 40 * Self.megabyte, latency: .milliseconds(1))
        simulation.run(for: .milliseconds(8))
        simulation.perConnection = 20 * Self.megabyte

        simulation.run(for: .seconds(2))

        #expect(simulation.ramp.desired == 16)
    }

    @Test(arguments: [Duration.milliseconds(1), .milliseconds(20), .milliseconds(150)])
    func aLinkThatIsTheLimitIsLeftToOneConnection(latency: Duration) {
        var simulation = RampSimulation(shared: 20 * Self.megabyte, latency: latency)

        simulation.run(for: .seconds(30))

        #expect(simulation.mostDesired <= 4)
        #expect(simulation.ramp.desired == 1)
        #expect(simulation.timeAbove(1) < .seconds(6))
    }

    /// Over a long round trip the slow start passes for the gain of more connections (docs/decisions/0019).
    @Test(arguments: [(Duration.milliseconds(1), 1), (.milliseconds(50), 16)])
    func aLinkThatIsTheLimitIsSharedByAllConnectionsOnlyIfItIsLong(latency: Duration, connections: Int) {
        var simulation = RampSimulation(shared: 20 * Self.megabyte, latency: latency)
        simulation.beginsSlowly = true

        simulation.run(for: .seconds(30))

        #expect(simulation.ramp.desired == connections)
    }

    @Test func anotherTryComesAfterPausesThatDouble() {
        var simulation = RampSimulation(shared: 20 * Self.megabyte)
        simulation.run(for: .seconds(145))

        let limited = simulation.changes.filter { $0.desired == 1 }.map(\.at).dropFirst()
        let tries = simulation.changes.filter { $0.desired == 2 }.map(\.at).dropFirst()

        // A new try waits for a fresh measurement of what it is compared with.
        let pauses = zip(limited, tries).map { limited, next in Int((next - limited).inSeconds.rounded()) }
        #expect(pauses == [5, 10, 20, 40, 60])
    }

    @Test func theNumberStopsWhereTheLinkIsFull() {
        var simulation = RampSimulation(perConnection: 5 * Self.megabyte, shared: 20 * Self.megabyte)

        simulation.run(for: .seconds(4))

        #expect(simulation.ramp.desired == 4)
    }

    @Test(arguments: [UInt64(1), 2, 3, 4, 5])
    func noiseDoesNotPassForGrowth(seed: UInt64) {
        var simulation = RampSimulation(shared: 20 * Self.megabyte, noise: 0.3)
        simulation.random = SplitMix64(seed: seed)

        simulation.run(for: .seconds(60))

        #expect(simulation.ramp.desired <= 2)
        #expect(simulation.timeAbove(2) < .seconds(3))
    }

    @Test func aLinkThatBecameFasterIsUsedAfterThePause() {
        var simulation = RampSimulation(shared: 20 * Self.megabyte)
        simulation.run(for: .seconds(2))
        simulation.shared = .infinity
        simulation.perConnection = 20 * Self.megabyte

        simulation.run(for: .seconds(10))

        #expect(simulation.ramp.desired == 16)
    }

    @Test(
        arguments: [
            // Less than two shares of 1 MiB, however slow.
            (remaining: (2 << 20) - 1, perConnection: 0.1, most: 1),
            // Less than three.
            (remaining: 3 << 20, perConnection: 0.1, most: 2),
            // Fetched within a second anyway.
            (remaining: 64 << 20, perConnection: 100, most: 1),
            // Once a second one was of use, less than it takes to open more.
            (remaining: 64 << 20, perConnection: 20, most: 16),
            (remaining: 64 << 20, perConnection: 60, most: 16),
        ] as [(remaining: Int64, perConnection: Double, most: Int)]
    )
    func noConnectionIsAddedToWhatIsNearlyDone(remaining: Int64, perConnection: Double, most: Int) {
        var simulation = RampSimulation(perConnection: perConnection * Self.megabyte)
        simulation.remaining = remaining

        simulation.run(for: .seconds(300))

        #expect(simulation.mostDesired == most)
        #expect(simulation.remaining <= 0)
    }

    @Test(arguments: [(1, [1]), (2, [1, 2]), (5, [1, 2, 5]), (0, [1])])
    func theCeilingIsNeverExceeded(ceiling: Int, desired: [Int]) {
        var simulation = RampSimulation(perConnection: Self.megabyte)
        simulation.ceiling = ceiling

        simulation.run(for: .seconds(10))

        #expect(simulation.changes.map(\.desired) == desired)
    }

    @Test func aCeilingThatFallsIsObeyedAtOnceAndOneThatRisesIsUsed() {
        var simulation = RampSimulation(perConnection: Self.megabyte)
        simulation.run(for: .seconds(3))
        simulation.ceiling = 3
        simulation.run(for: .seconds(3))
        let fallen = simulation.ramp.desired
        simulation.ceiling = 12

        simulation.run(for: .seconds(3))

        #expect(fallen == 3 && simulation.ramp.desired == 12)
    }

    @Test(arguments: [(working: 3, desired: 3), (working: 1, desired: 1), (working: 0, desired: 1)])
    func aRefusalIsRememberedForTheDownload(working: Int, desired: Int) {
        var simulation = RampSimulation(perConnection: Self.megabyte)
        simulation.run(for: .seconds(3))
        simulation.ramp.recordRefusal(working: working)
        simulation.ramp.recordRefusal(working: 9)

        simulation.run(for: .seconds(20))

        #expect(simulation.ramp.desired == desired)
    }

    /// What another download proved at the host is not measured once more.
    @Test func theNextDownloadBeginsWithTheLastAcceptedNumber() throws {
        var first = RampSimulation(perConnection: 20 * Self.megabyte)
        first.run(for: .seconds(3))
        let proven = try #require(first.ramp.proven)
        #expect(proven.count == 16 && (19e6...21e6).contains(proven.bytesPerSecond))

        var second = RampSimulation(perConnection: 20 * Self.megabyte)
        second.ramp = ConnectionRamp(cached: proven)
        second.run(for: .seconds(3))

        #expect(second.changes.map(\.desired) == [1, 16])
        #expect(second.ramp.proven?.count == 16)
    }

    @Test(
        arguments: [
            (ceiling: 4, remaining: 100 << 30, changes: [1, 4]),
            (ceiling: 1, remaining: 100 << 30, changes: [1]),
            // One connection brings it within a second.
            (ceiling: 16, remaining: 19_000_000, changes: [1]),
        ] as [(ceiling: Int, remaining: Int64, changes: [Int])]
    )
    func theLastAcceptedNumberIsLimitedByTheCeilingAndByUse(ceiling: Int, remaining: Int64, changes: [Int]) {
        var simulation = RampSimulation(perConnection: 20 * Self.megabyte)
        simulation.ramp = ConnectionRamp(cached: ProvenConnections(count: 16, bytesPerSecond: 20 * Self.megabyte))
        (simulation.ceiling, simulation.remaining) = (ceiling, remaining)

        simulation.run(for: .seconds(2))

        #expect(simulation.changes.map(\.desired) == changes)
    }

    @Test func aRefusedDownloadProvesNothing() {
        var simulation = RampSimulation(perConnection: Self.megabyte)
        simulation.run(for: .seconds(3))
        simulation.ramp.recordRefusal(working: 3)

        #expect(simulation.ramp.proven == nil)
    }

    @Test func theRampDecidesNothingBeforeTheFirstByte() {
        var ramp = ConnectionRamp()
        for second in 0..<100 {
            ramp.update(
                RampSample(
                    at: .seconds(second),
                    receivedBytes: 0,
                    connections: 0,
                    remainingBytes: 1 << 40,
                    roundTrip: nil,
                    ceiling: 16
                )
            )
        }

        #expect(ramp.desired == 1)
    }
}

/// A download from an origin with known limits, in ticks of five milliseconds.
struct RampSimulation {
    /// Bytes per second.
    var perConnection: Double
    var shared: Double
    var latency: Duration
    /// Whether a connection begins with ten packets for each latency, which double with each.
    var beginsSlowly = false
    /// How far each tick's bytes may differ from the rate.
    var noise: Double
    var remaining: Int64 = 100 << 30
    var ceiling = 16
    /// How long a connection that is one too many goes on, until its share is done.
    var shareTime: Duration = .seconds(1)

    var ramp = ConnectionRamp()
    var random = SplitMix64(seed: 1)
    private(set) var now: Duration = .zero
    /// Each number of connections that was wanted, and since when.
    private(set) var changes: [(at: Duration, desired: Int)] = [(.zero, 1)]
    private var received = 0.0
    /// When each connection brings its first byte.
    private var connections: [Duration] = []
    private var surplusEnds: Duration?

    static let tick: Duration = .milliseconds(5)

    init(
        perConnection: Double = .infinity,
        shared: Double = .infinity,
        latency: Duration = .milliseconds(20),
        noise: Double = 0
    ) {
        self.perConnection = perConnection
        self.shared = shared
        self.latency = latency
        self.noise = noise
    }

    var mostDesired: Int { changes.map(\.desired).max() ?? 0 }

    /// When so many were wanted for the first time.
    func firstTime(of desired: Int) -> Duration? { changes.first { $0.desired >= desired }?.at }

    /// For how long more than so many were wanted.
    func timeAbove(_ desired: Int) -> Duration {
        let ends = changes.dropFirst().map(\.at) + [now]
        return zip(changes, ends).reduce(.zero) { $1.0.desired > desired ? $0 + ($1.1 - $1.0.at) : $0 }
    }

    mutating func run(for time: Duration) {
        let end = now + time
        while now < end, remaining > 0 { step() }
    }

    private mutating func step() {
        now += Self.tick
        // To connect takes a latency, and the answer another.
        while connections.count < ramp.desired { connections.append(now + latency * 2) }
        dropSurplus()
        let working = connections.count { $0 <= now }
        let spread = noise > 0 ? Double.random(in: (1 - noise)...(1 + noise), using: &random) : 1
        let bytes = min(connections.reduce(0) { $0 + rate(since: $1) }, shared) * Self.tick.inSeconds * spread
        if working > 0 {
            received += bytes
            remaining -= Int64(bytes)
        }
        let before = ramp.desired
        ramp.update(
            RampSample(
                at: now,
                receivedBytes: Int64(received),
                connections: working,
                remainingBytes: remaining,
                roundTrip: working > 0 ? latency : nil,
                ceiling: ceiling
            )
        )
        if ramp.desired != before { changes.append((now, ramp.desired)) }
    }

    /// What a connection would bring whose first byte came at `start`, in bytes per second.
    private func rate(since start: Duration) -> Double {
        guard start <= now else { return 0 }
        guard beginsSlowly else { return perConnection }
        let latencies = min(Int((now - start) / latency), 40)
        return min(14_600 * Double(1 << latencies) / latency.inSeconds, perConnection)
    }

    private mutating func dropSurplus() {
        guard connections.count > ramp.desired else {
            surplusEnds = nil
            return
        }
        guard let end = surplusEnds else {
            surplusEnds = now + shareTime
            return
        }
        if now >= end { connections.removeLast(connections.count - ramp.desired) }
    }
}
