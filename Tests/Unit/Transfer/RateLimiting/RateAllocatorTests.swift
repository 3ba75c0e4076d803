import Core
import Testing

@testable import Transfer

/// Limits as values, at instants that the tests choose.
struct RateAllocatorTests {
    /// Gates that always have more to take, run until `end`.
    private static func run(_ allocator: inout RateAllocator, _ consumers: [Int], until end: Duration) -> [Int: Int] {
        var taken: [Int: Int] = [:]
        var now = Duration.zero
        while now <= end {
            for consumer in consumers {
                while let allowed = allocator.allowance(for: 256 << 10, at: consumer, now: now) {
                    allocator.spend(allowed, at: consumer)
                    taken[consumer, default: 0] += allowed
                }
            }
            guard let due = allocator.nextDue else { break }
            now = max(due, now)
            _ = allocator.deliver(at: now)
        }
        return taken
    }

    private static func consumer(_ rate: Int, _ authority: String = "a:80") -> RateAllocator.Consumer {
        RateAllocator.Consumer(rate: rate, authority: authority, resume: {})
    }

    private static func isWithin(_ bytes: Int, of expected: Double, by share: Double = 0.05) -> Bool {
        abs(Double(bytes) - expected) <= expected * share
    }

    @Test(arguments: [10_000, 1_000_000, 50_000_000, 2_000_000_000] as [Int64], [1, 2, 8])
    func connectionsShareTheLimitOfTheirDownload(_ limit: Int64, _ count: Int) {
        var allocator = RateAllocator(at: .zero)
        let rate = allocator.addRate(limit, revision: 1, at: .zero)
        let consumers = (0..<count).map { _ in allocator.addConsumer(Self.consumer(rate)) }

        let taken = Self.run(&allocator, consumers, until: .seconds(10))

        #expect(Self.isWithin(taken.values.reduce(0, +), of: Double(limit) * 10))
        // At a higher rate the first to ask takes what has gathered since the timer was due.
        guard limit <= 50_000_000 else { return }
        #expect(taken.values.allSatisfy { Self.isWithin($0, of: Double(limit) * 10 / Double(count), by: 0.25) })
    }

    @Test func anotherLimitOfTheServerHoldsAtOnceForThoseWhoWaitToo() {
        var allocator = RateAllocator(SharedRates(server: 1024), at: .zero)
        let consumers = (0..<2).map { _ in
            allocator.addConsumer(Self.consumer(allocator.addRate(nil, revision: 1, at: .zero)))
        }
        for consumer in consumers {
            while allocator.allowance(for: 1024, at: consumer, now: .zero) != nil {
                allocator.spend(1024, at: consumer)
            }
        }
        #expect(allocator.nextDue != nil)

        allocator.setShared(SharedRates(server: 1 << 30), number: 2, at: .seconds(1))
        // What was said before and comes later.
        allocator.setShared(SharedRates(server: 1024), number: 1, at: .seconds(1))
        #expect(allocator.shared.server == 1 << 30)
        #expect(allocator.nextDue.map { $0 <= .seconds(1) + .milliseconds(100) } == true)
        allocator.setShared(SharedRates(), number: 3, at: .seconds(1))
        #expect(!allocator.isLimiting)
        #expect(allocator.deliver(at: .seconds(1)).count == 2)
    }

    /// A timer that fires late on a busy machine does not make the download look slow.
    @Test func aDownloadIsBlockedUntilItsTransferIsResumed() {
        var allocator = RateAllocator(at: .zero)
        let rate = allocator.addRate(1024, revision: 1, at: .zero)
        let consumer = allocator.addConsumer(Self.consumer(rate))
        while allocator.allowance(for: 1024, at: consumer, now: .zero) != nil {
            allocator.spend(1024, at: consumer)
        }

        let late = allocator.wasBlocked(rate: rate, after: .seconds(60))
        _ = allocator.deliver(at: .seconds(61))
        #expect(late && allocator.wasBlocked(rate: rate, after: .seconds(60)))
        #expect(!allocator.wasBlocked(rate: rate, after: .seconds(61)))
    }

    @Test func eachLimitHoldsForThoseItIsFor() {
        var allocator = RateAllocator(SharedRates(server: 500_000, perHost: 300_000), at: .zero)
        let slow = allocator.addRate(50_000, revision: 1, at: .zero)
        let free = allocator.addRate(nil, revision: 1, at: .zero)
        let consumers = [(slow, "a:80"), (free, "a:80"), (free, "a:80"), (free, "b:80"), (free, "b:80")].map {
            rate,
            host in
            allocator.addConsumer(Self.consumer(rate, host))
        }

        let taken = Self.run(&allocator, consumers, until: .seconds(10))

        #expect(Self.isWithin(taken.values.reduce(0, +), of: 5_000_000))
        #expect(taken[consumers[0], default: 0] <= 525_000)
        #expect(consumers[..<3].map { taken[$0, default: 0] }.reduce(0, +) <= 3_150_000)
        #expect(consumers[3...].map { taken[$0, default: 0] }.reduce(0, +) <= 3_150_000)
    }

    @Test func aHostMayHaveALimitInPlaceOfTheCommonOne() {
        let shared = SharedRates(perHost: 300_000, hosts: ["a:80": 100_000, "b:80": 900_000])
        var allocator = RateAllocator(shared, at: .zero)
        let free = allocator.addRate(nil, revision: 1, at: .zero)
        let consumers = ["a:80", "a:80", "b:80", "c:80"].map { allocator.addConsumer(Self.consumer(free, $0)) }

        let taken = Self.run(&allocator, consumers, until: .seconds(10))

        #expect(Self.isWithin(consumers[..<2].map { taken[$0, default: 0] }.reduce(0, +), of: 1_000_000))
        #expect(Self.isWithin(taken[consumers[2], default: 0], of: 9_000_000))
        #expect(Self.isWithin(taken[consumers[3], default: 0], of: 3_000_000))
    }

    @Test func aLimitOfAHostThatComesWhileItIsAskedHoldsAndGoesAgain() throws {
        var allocator = RateAllocator(at: .zero)
        let consumer = allocator.addConsumer(Self.consumer(allocator.addRate(nil, revision: 1, at: .zero)))
        #expect(allocator.allowance(for: 1 << 20, at: consumer, now: .zero) == 1 << 20)
        allocator.spend(1 << 20, at: consumer)

        allocator.setShared(SharedRates(hosts: ["a:80": 1024]), number: 1, at: .seconds(1))
        #expect(allocator.isLimiting)
        #expect(allocator.allowance(for: 1 << 20, at: consumer, now: .seconds(1)) == nil)
        #expect(try #require(allocator.nextDue) == .seconds(2))
        allocator.setShared(SharedRates(), number: 2, at: .seconds(1))
        #expect(allocator.deliver(at: .seconds(1)).count == 1 && !allocator.isLimiting)
    }

    @Test func downloadsWithoutALimitDoNotWait() {
        var allocator = RateAllocator(at: .zero)
        let consumer = allocator.addConsumer(Self.consumer(allocator.addRate(nil, revision: 1, at: .zero)))

        #expect(!allocator.isLimiting)
        #expect(allocator.allowance(for: 1 << 30, at: consumer, now: .zero) == 1 << 30)
    }

    @Test func aWaiterOfALowRateContinuesWhenTheRateIsRaised() throws {
        var allocator = RateAllocator(at: .zero)
        let rate = allocator.addRate(1024, revision: 1, at: .zero)
        let consumer = allocator.addConsumer(Self.consumer(rate))
        #expect(allocator.allowance(for: 1 << 20, at: consumer, now: .zero) == nil)
        #expect(try #require(allocator.nextDue) == .seconds(1))

        allocator.setRate(rate, to: 1 << 20, revision: 2, at: .zero)
        #expect(try #require(allocator.nextDue) < .milliseconds(2))
        allocator.setRate(rate, to: nil, revision: 3, at: .zero)
        #expect(allocator.nextDue == .zero && !allocator.isLimiting)
        #expect(allocator.deliver(at: .zero).count == 1)
        #expect(allocator.allowance(for: 1 << 20, at: consumer, now: .zero) == 1024)
    }

    @Test func anOlderRevisionChangesNothing() {
        var allocator = RateAllocator(at: .zero)
        let rate = allocator.addRate(1024, revision: 5, at: .zero)
        allocator.setRate(rate, to: 2048, revision: 7, at: .zero)
        allocator.setRate(rate, to: nil, revision: 6, at: .zero)

        #expect(allocator.bytesPerSecond(ofRate: rate) == 2048)
        allocator.removeRate(rate)
        #expect(!allocator.isLimiting)
    }

    private static func session(
        _ bytesPerSecond: Int64?,
        revision: Int64 = 1,
        _ name: String = "s"
    ) throws -> SessionRate {
        SessionRate(name: try #require(SessionName(name)), bytesPerSecond: bytesPerSecond, revision: revision)
    }

    @Test func theDownloadsOfASessionShareItsLimit() throws {
        var allocator = RateAllocator(SharedRates(server: 1_000_000), at: .zero)
        let limited = try (0..<3).map { index in
            allocator.addRate(index == 0 ? 20_000 : nil, revision: 1, session: try Self.session(200_000), at: .zero)
        }
        let others = [
            allocator.addRate(nil, revision: 1, session: try Self.session(nil, "other"), at: .zero),
            allocator.addRate(nil, revision: 1, at: .zero),
        ]
        let consumers = (limited + others).map { allocator.addConsumer(Self.consumer($0)) }

        let taken = Self.run(&allocator, consumers, until: .seconds(10))

        #expect(Self.isWithin(consumers[..<3].map { taken[$0, default: 0] }.reduce(0, +), of: 2_000_000, by: 0.15))
        #expect(taken[consumers[0], default: 0] <= 210_000)
        #expect(Self.isWithin(taken.values.reduce(0, +), of: 10_000_000))
    }

    @Test func anotherLimitOfASessionHoldsAtOnceForThoseWhoWaitToo() throws {
        var allocator = RateAllocator(at: .zero)
        let rates = try (0..<2).map { _ in
            allocator.addRate(nil, revision: 1, session: try Self.session(1024), at: .zero)
        }
        let consumers = rates.map { allocator.addConsumer(Self.consumer($0)) }
        for consumer in consumers {
            while allocator.allowance(for: 1024, at: consumer, now: .zero) != nil {
                allocator.spend(1024, at: consumer)
            }
        }
        #expect(allocator.isLimiting && allocator.nextDue != nil)

        allocator.setRate(of: try Self.session(1 << 30, revision: 3), at: .seconds(1))
        allocator.setRate(of: try Self.session(1024, revision: 2), at: .seconds(1))
        #expect(allocator.strictest(forRate: rates[0], at: "a:80") == 1 << 30)
        #expect(allocator.nextDue.map { $0 <= .seconds(1) + .milliseconds(100) } == true)
        allocator.setRate(of: try Self.session(nil, revision: 4), at: .seconds(1))
        #expect(!allocator.isLimiting)
        #expect(allocator.deliver(at: .seconds(1)).count == 2)
    }

    @Test func theLimitOfASessionIsForgottenWithTheLastOfItsDownloads() throws {
        var allocator = RateAllocator(at: .zero)
        let name = try #require(SessionName("s"))
        let first = allocator.addRate(nil, revision: 1, session: try Self.session(1024), at: .zero)
        let second = allocator.addRate(nil, revision: 1, session: try Self.session(2048, revision: 2), at: .zero)
        #expect(allocator.bytesPerSecond(of: name) == 2048)

        allocator.removeRate(first)
        #expect(allocator.isLimiting && allocator.bytesPerSecond(of: name) == 2048)
        allocator.removeRate(second)
        #expect(!allocator.isLimiting && allocator.bytesPerSecond(of: name) == nil)
        allocator.setRate(of: try Self.session(1024, revision: 3), at: .zero)
        #expect(!allocator.isLimiting)
    }
}
