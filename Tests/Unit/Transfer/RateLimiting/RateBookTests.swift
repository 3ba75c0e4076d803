import Core
import Testing
@testable import Transfer

/// Limits as values, at instants that the tests choose.
struct RateBookTests {
    /// Gates that always have more to take, run until `end`.
    private static func run(_ book: inout RateBook, _ gates: [Int], until end: Duration) -> [Int: Int] {
        var taken: [Int: Int] = [:]
        var now = Duration.zero
        while now <= end {
            for gate in gates {
                while let allowed = book.allowance(for: 256 << 10, at: gate, now: now) {
                    book.spend(allowed, at: gate)
                    taken[gate, default: 0] += allowed
                }
            }
            guard let due = book.nextDue else { break }
            now = max(due, now)
            _ = book.deliver(at: now)
        }
        return taken
    }

    private static func gate(_ rate: Int, _ authority: String = "a:80") -> RateBook.Gate {
        RateBook.Gate(rate: rate, authority: authority, resume: {})
    }

    private static func isWithin(_ bytes: Int, of wanted: Double, by share: Double = 0.05) -> Bool {
        abs(Double(bytes) - wanted) <= wanted * share
    }

    @Test(arguments: [10_000, 1_000_000, 50_000_000, 2_000_000_000] as [Int64], [1, 2, 8])
    func connectionsShareTheLimitOfTheirDownload(_ limit: Int64, _ count: Int) {
        var book = RateBook(at: .zero)
        let rate = book.addRate(limit, revision: 1, at: .zero)
        let gates = (0..<count).map { _ in book.addGate(Self.gate(rate)) }

        let taken = Self.run(&book, gates, until: .seconds(10))

        #expect(Self.isWithin(taken.values.reduce(0, +), of: Double(limit) * 10))
        // At a higher rate the first to ask takes what has gathered since the timer was due.
        guard limit <= 50_000_000 else { return }
        #expect(taken.values.allSatisfy { Self.isWithin($0, of: Double(limit) * 10 / Double(count), by: 0.25) })
    }

    @Test func anotherLimitOfTheServerHoldsAtOnceForThoseWhoWaitToo() {
        var book = RateBook(SharedRates(server: 1024), at: .zero)
        let gates = (0..<2).map { _ in book.addGate(Self.gate(book.addRate(nil, revision: 1, at: .zero))) }
        for gate in gates {
            while book.allowance(for: 1024, at: gate, now: .zero) != nil { book.spend(1024, at: gate) }
        }
        #expect(book.nextDue != nil)

        book.setShared(SharedRates(server: 1 << 30), number: 2, at: .seconds(1))
        // What was said before and comes later.
        book.setShared(SharedRates(server: 1024), number: 1, at: .seconds(1))
        #expect(book.shared.server == 1 << 30)
        #expect(book.nextDue.map { $0 <= .seconds(1) + .milliseconds(100) } == true)
        book.setShared(SharedRates(), number: 3, at: .seconds(1))
        #expect(!book.isLimiting)
        #expect(book.deliver(at: .seconds(1)).count == 2)
    }

    @Test func eachLimitHoldsForThoseItIsFor() {
        var book = RateBook(SharedRates(server: 500_000, perHost: 300_000), at: .zero)
        let slow = book.addRate(50_000, revision: 1, at: .zero)
        let free = book.addRate(nil, revision: 1, at: .zero)
        let gates = [(slow, "a:80"), (free, "a:80"), (free, "a:80"), (free, "b:80"), (free, "b:80")].map { rate, host in
            book.addGate(Self.gate(rate, host))
        }

        let taken = Self.run(&book, gates, until: .seconds(10))

        #expect(Self.isWithin(taken.values.reduce(0, +), of: 5_000_000))
        #expect(taken[gates[0], default: 0] <= 525_000)
        #expect(gates[..<3].map { taken[$0, default: 0] }.reduce(0, +) <= 3_150_000)
        #expect(gates[3...].map { taken[$0, default: 0] }.reduce(0, +) <= 3_150_000)
    }

    @Test func aHostMayHaveALimitInPlaceOfTheCommonOne() {
        let shared = SharedRates(perHost: 300_000, hosts: ["a:80": 100_000, "b:80": 900_000])
        var book = RateBook(shared, at: .zero)
        let free = book.addRate(nil, revision: 1, at: .zero)
        let gates = ["a:80", "a:80", "b:80", "c:80"].map { book.addGate(Self.gate(free, $0)) }

        let taken = Self.run(&book, gates, until: .seconds(10))

        #expect(Self.isWithin(gates[..<2].map { taken[$0, default: 0] }.reduce(0, +), of: 1_000_000))
        #expect(Self.isWithin(taken[gates[2], default: 0], of: 9_000_000))
        #expect(Self.isWithin(taken[gates[3], default: 0], of: 3_000_000))
    }

    @Test func aLimitOfAHostThatComesWhileItIsAskedHoldsAndGoesAgain() throws {
        var book = RateBook(at: .zero)
        let gate = book.addGate(Self.gate(book.addRate(nil, revision: 1, at: .zero)))
        #expect(book.allowance(for: 1 << 20, at: gate, now: .zero) == 1 << 20)
        book.spend(1 << 20, at: gate)

        book.setShared(SharedRates(hosts: ["a:80": 1024]), number: 1, at: .seconds(1))
        #expect(book.isLimiting)
        #expect(book.allowance(for: 1 << 20, at: gate, now: .seconds(1)) == nil)
        #expect(try #require(book.nextDue) == .seconds(2))
        book.setShared(SharedRates(), number: 2, at: .seconds(1))
        #expect(book.deliver(at: .seconds(1)).count == 1 && !book.isLimiting)
    }

    @Test func withoutALimitNobodyWaits() {
        var book = RateBook(at: .zero)
        let gate = book.addGate(Self.gate(book.addRate(nil, revision: 1, at: .zero)))

        #expect(!book.isLimiting)
        #expect(book.allowance(for: 1 << 30, at: gate, now: .zero) == 1 << 30)
    }

    @Test func whoWaitsForALowRateIsServedOnceItIsRaised() throws {
        var book = RateBook(at: .zero)
        let rate = book.addRate(1024, revision: 1, at: .zero)
        let gate = book.addGate(Self.gate(rate))
        #expect(book.allowance(for: 1 << 20, at: gate, now: .zero) == nil)
        #expect(try #require(book.nextDue) == .seconds(1))

        book.setRate(rate, to: 1 << 20, revision: 2, at: .zero)
        #expect(try #require(book.nextDue) < .milliseconds(2))
        book.setRate(rate, to: nil, revision: 3, at: .zero)
        #expect(book.nextDue == .zero && !book.isLimiting)
        #expect(book.deliver(at: .zero).count == 1)
        #expect(book.allowance(for: 1 << 20, at: gate, now: .zero) == 1024)
    }

    @Test func anOlderRevisionChangesNothing() {
        var book = RateBook(at: .zero)
        let rate = book.addRate(1024, revision: 5, at: .zero)
        book.setRate(rate, to: 2048, revision: 7, at: .zero)
        book.setRate(rate, to: nil, revision: 6, at: .zero)

        #expect(book.bytesPerSecond(ofRate: rate) == 2048)
        book.removeRate(rate)
        #expect(!book.isLimiting)
    }

    private static func session(
        _ bytesPerSecond: Int64?,
        revision: Int64 = 1,
        _ name: String = "s"
    ) throws -> SessionRate {
        SessionRate(name: try #require(SessionName(name)), bytesPerSecond: bytesPerSecond, revision: revision)
    }

    @Test func theDownloadsOfASessionShareItsLimit() throws {
        var book = RateBook(SharedRates(server: 1_000_000), at: .zero)
        let limited = try (0..<3).map { index in
            book.addRate(index == 0 ? 20_000 : nil, revision: 1, session: try Self.session(200_000), at: .zero)
        }
        let others = [
            book.addRate(nil, revision: 1, session: try Self.session(nil, "other"), at: .zero),
            book.addRate(nil, revision: 1, at: .zero),
        ]
        let gates = (limited + others).map { book.addGate(Self.gate($0)) }

        let taken = Self.run(&book, gates, until: .seconds(10))

        #expect(Self.isWithin(gates[..<3].map { taken[$0, default: 0] }.reduce(0, +), of: 2_000_000, by: 0.15))
        #expect(taken[gates[0], default: 0] <= 210_000)
        #expect(Self.isWithin(taken.values.reduce(0, +), of: 10_000_000))
    }

    @Test func anotherLimitOfASessionHoldsAtOnceForThoseWhoWaitToo() throws {
        var book = RateBook(at: .zero)
        let rates = try (0..<2).map { _ in
            book.addRate(nil, revision: 1, session: try Self.session(1024), at: .zero)
        }
        let gates = rates.map { book.addGate(Self.gate($0)) }
        for gate in gates {
            while book.allowance(for: 1024, at: gate, now: .zero) != nil { book.spend(1024, at: gate) }
        }
        #expect(book.isLimiting && book.nextDue != nil)

        book.setRate(of: try Self.session(1 << 30, revision: 3), at: .seconds(1))
        book.setRate(of: try Self.session(1024, revision: 2), at: .seconds(1))
        #expect(book.strictest(forRate: rates[0], at: "a:80") == 1 << 30)
        #expect(book.nextDue.map { $0 <= .seconds(1) + .milliseconds(100) } == true)
        book.setRate(of: try Self.session(nil, revision: 4), at: .seconds(1))
        #expect(!book.isLimiting)
        #expect(book.deliver(at: .seconds(1)).count == 2)
    }

    @Test func theLimitOfASessionIsForgottenWithTheLastOfItsDownloads() throws {
        var book = RateBook(at: .zero)
        let name = try #require(SessionName("s"))
        let first = book.addRate(nil, revision: 1, session: try Self.session(1024), at: .zero)
        let second = book.addRate(nil, revision: 1, session: try Self.session(2048, revision: 2), at: .zero)
        #expect(book.bytesPerSecond(of: name) == 2048)

        book.removeRate(first)
        #expect(book.isLimiting && book.bytesPerSecond(of: name) == 2048)
        book.removeRate(second)
        #expect(!book.isLimiting && book.bytesPerSecond(of: name) == nil)
        book.setRate(of: try Self.session(1024, revision: 3), at: .zero)
        #expect(!book.isLimiting)
    }
}
