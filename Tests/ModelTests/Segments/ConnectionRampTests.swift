import Core
import Testing
import TestSupport
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

    @Test func anotherTryComesAfterPausesThatDouble() {
        var simulation = RampSimulation(shared: 20 * Self.megabyte)
        simulation.run(for: .seconds(145))

        let settled = simulation.changes.filter { $0.desired == 1 }.map(\.at).dropFirst()
        let tries = simulation.changes.filter { $0.desired == 2 }.map(\.at).dropFirst()

        // A new try waits for a fresh measurement of what it is compared with.
        let pauses = zip(settled, tries).map { settled, next in Int((next - settled).inSeconds.rounded()) }
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
            // Less than two shares of 4 MiB, however slow.
            (remaining: (8 << 20) - 1, perConnection: 0.1, most: 1),
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
        simulation.ramp.noteRefusal(working: working)
        simulation.ramp.noteRefusal(working: 9)

        simulation.run(for: .seconds(20))

        #expect(simulation.ramp.desired == desired)
    }

    @Test func nothingIsDecidedBeforeTheFirstByte() {
        var ramp = ConnectionRamp()
        for second in 0..<100 {
            ramp.update(
                RampReading(
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
