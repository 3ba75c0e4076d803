import Core
import TestSupport
import Testing
import TransferRules

@Suite struct TokenBucketTests {
    /// The bytes that takers of one bucket get within ten seconds, each waiting for what it was told.
    private func bytesTaken(rate: Int64, sizes: ClosedRange<Int64>, takers: Int) -> Int64 {
        var random = SplitMix64(seed: UInt64(rate))
        var bucket = TokenBucket(rate: rate, at: .zero)
        var due = Array(repeating: Duration.zero, count: takers)
        var taken: Int64 = 0
        while let next = due.indices.min(by: { due[$0] < due[$1] }), due[next] < .seconds(10) {
            // A taker that was told to wait asks again: the debt may have grown meanwhile.
            let wait = bucket.wait(at: due[next])
            if wait > .zero {
                due[next] += max(wait, .microseconds(1))
                continue
            }
            let size = Int64.random(in: sizes, using: &random)
            taken += size
            // A read takes its time too.
            due[next] += bucket.consume(size, at: due[next]) + .microseconds(10)
        }
        return taken
    }

    @Test(
        arguments: [(100_000, 16_384), (1_000_000, 16_384), (20_000_000, 524_288), (100_000_000, 524_288)]
            as [(Int64, Int64)],
        [1, 2, 7, 32]
    )
    func takersTogetherKeepToTheRate(limit: (rate: Int64, size: Int64), takers: Int) {
        let taken = bytesTaken(rate: limit.rate, sizes: (limit.size / 4)...limit.size, takers: takers)

        let expected = Double(limit.rate) * 10
        #expect(abs(Double(taken) - expected) < expected * 0.05, "\(taken) of \(expected)")
    }

    @Test func aWithdrawalMayOverdrawAndTheNextWaits() {
        var bucket = TokenBucket(rate: 100_000, at: .seconds(5))

        let first = bucket.consume(250_000, at: .seconds(5))
        let second = bucket.consume(50_000, at: .seconds(6))

        #expect(first == .milliseconds(2500))
        #expect(second == .seconds(2))
    }

    @Test(arguments: [(1_000_000, 100_000), (10_000, 16_384)] as [(Int64, Int64)])
    func idleTimeGathersNoMoreThanABurst(rate: Int64, burst: Int64) {
        var bucket = TokenBucket(rate: rate, at: .zero)

        let within = bucket.consume(burst, at: .seconds(3600))
        let beyond = bucket.consume(rate, at: .seconds(3600))

        #expect(within == .zero && beyond == .seconds(1))
    }

    @Test func withoutALimitNothingWaits() {
        var bucket = TokenBucket(rate: nil, at: .zero)

        let wait = bucket.consume(.max, at: .zero)

        #expect(wait == .zero && bucket.wait(at: .seconds(1)) == .zero)
    }

    @Test(
        arguments: [
            // Faster: what is owed is paid at the new rate.
            (100_000, 1_000_000, .milliseconds(100)),
            // Slower: what came at the old rate is owed at that.
            (100_000, 10_000, .seconds(1)),
            (100_000, 100_000, .seconds(1)),
            (100_000, nil, .zero),
            (nil, 10, .zero),
        ] as [(Int64?, Int64?, Duration)]
    )
    func aChangedRateNeverMakesAnyoneWaitLonger(old: Int64?, new: Int64?, wait: Duration) {
        var bucket = TokenBucket(rate: old, at: .zero)
        _ = bucket.consume(100_000, at: .zero)

        bucket.setRate(new, at: .zero)

        #expect(abs((bucket.wait(at: .zero) - wait).inSeconds) < 1e-6)
        #expect(bucket.rate == new)
    }

    @Test func aRateThatFallsLeavesNoCreditOfTheOldOne() {
        var bucket = TokenBucket(rate: 100_000_000, at: .zero)
        bucket.setRate(1_000_000, at: .seconds(60))

        let wait = bucket.consume(1_100_000, at: .seconds(60))

        #expect(wait == .seconds(1))
    }

    @Test func theRateIsKeptAcrossManyChanges() {
        var bucket = TokenBucket(rate: 1_000_000, at: .zero)
        var now: Duration = .zero
        var taken: Int64 = 0
        var allowed = 0.0
        for change in 0..<100 {
            let rate = Int64(1 + change % 3) * 1_000_000
            bucket.setRate(rate, at: now)
            let end = Duration.milliseconds(100 * (change + 1))
            allowed += Double(rate) * 0.1
            while now + bucket.wait(at: now) < end {
                now += bucket.wait(at: now)
                taken += 16_384
                _ = bucket.consume(16_384, at: now)
            }
            now = end
        }

        #expect(abs(Double(taken) - allowed) < allowed * 0.05, "\(taken) of \(allowed)")
    }

    @Test func aClockThatStandsOrGoesBackGivesNothing() {
        var bucket = TokenBucket(rate: 1000, at: .seconds(10))
        _ = bucket.consume(1000, at: .seconds(10))

        #expect(bucket.wait(at: .seconds(10)) == .seconds(1))
        #expect(bucket.wait(at: .seconds(2)) == .seconds(1))
    }

    @Test(arguments: [Int64(-5), 0, 1])
    func aRateIsAtLeastOneByteAndASizeAtLeastNone(rate: Int64) {
        var bucket = TokenBucket(rate: rate, at: .zero)

        let none = bucket.consume(-1000, at: .zero)
        let some = bucket.consume(7, at: .zero)
        let endless = bucket.consume(.max, at: .zero)

        #expect(none == .zero && some == .seconds(7) && endless == .seconds(366 * 86_400))
    }

    @Test func withSeveralLimitsTheNarrowestDecides() {
        let rates: [Int64?] = [nil, 5_000_000, 1_000_000, 2_000_000]
        var chain = rates.map { TokenBucket(rate: $0, at: .zero) }
        var now: Duration = .zero
        var taken: Int64 = 0
        while now < .seconds(10) {
            var wait: Duration = .zero
            for place in chain.indices { wait = max(wait, chain[place].consume(32_768, at: now)) }
            taken += 32_768
            now += wait + .microseconds(10)
        }

        #expect(abs(taken - 10_000_000) < 500_000)
    }
}
