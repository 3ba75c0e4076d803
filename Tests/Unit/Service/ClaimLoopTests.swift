import Core
import Service
import Synchronization
import TestSupport
import Testing

@Suite(.hangLimit)
struct ClaimLoopTests {
    private final class Claims: Sendable {
        let count = Atomic<Int>(0)
        let began = Signal()
        let gate = Signal()
        let inFlight = Atomic<Int>(0)
        let peak = Atomic<Int>(0)

        func claim() async {
            peak.max(inFlight.wrappingAdd(1, ordering: .relaxed).newValue, ordering: .relaxed)
            count.wrappingAdd(1, ordering: .relaxed)
            began.fire()
            await gate.wait()
            inFlight.wrappingSubtract(1, ordering: .relaxed)
        }
    }

    private let claims = Claims()

    @Test func callsThatComeMeanwhileAreOneMoreClaim() async {
        let loop = ClaimLoop { [claims] in await claims.claim() }
        let first = Task { await loop.run() }
        await claims.began.wait()
        for _ in 0..<10 { await loop.run() }
        claims.gate.fire()
        await first.value

        #expect(claims.count.load(ordering: .relaxed) == 2)
        #expect(claims.peak.load(ordering: .relaxed) == 1)
    }

    @Test func afterTheEndNothingIsClaimed() async {
        let loop = ClaimLoop { [claims] in await claims.claim() }
        let first = Task { await loop.run() }
        await claims.began.wait()
        await loop.run()
        async let stopped: Void = loop.stop()
        claims.gate.fire()
        await first.value
        await stopped
        await loop.run()

        #expect(claims.inFlight.load(ordering: .relaxed) == 0)
    }
}

@Suite(.hangLimit)
struct WakeUpTimerTests {
    private let time = ManualTime()

    private func timer() -> (timer: WakeUpTimer, rings: AsyncStream<Timestamp>.AsyncIterator) {
        let (stream, continuation) = AsyncStream.makeStream(of: Timestamp.self)
        let timer = WakeUpTimer(time: time.source) { [time] in continuation.yield(time.now) }
        return (timer, stream.makeAsyncIterator())
    }

    @Test(arguments: [[10], [10, 20], [20, 10], [30, 10, 20]] as [[Int64]])
    func aTimerFiresAtTheEarliestInstant(_ seconds: [Int64]) async throws {
        let start = time.now
        var (timer, rings) = timer()
        for second in seconds { await timer.set(for: start + .seconds(second)) }
        await time.sleepers(atLeast: 1)
        // Each later instant is given up for an earlier one, so that one sleeper is left.
        try await waitUntil("1 sleeper", after: time.sleeperChanges) {
            time.sleeperCount
        } is: {
            $0 == 1
        }
        time.advance(by: .seconds(10))

        #expect(await rings.next() == start + .seconds(10))
    }

    @Test func aTimerSetToThePastFiresAtOnce() async {
        var (timer, rings) = timer()
        await timer.set(for: time.now - .seconds(5))

        #expect(await rings.next() == time.now)
    }

    @Test func aChangeOfTheWallClockIsNoticedWithinAMinute() async {
        var (timer, rings) = timer()
        let start = time.now
        await timer.set(for: start + .seconds(86_400))
        await time.sleepers(atLeast: 1)
        time.advance(by: .seconds(60))

        #expect(await rings.next() == start + .seconds(60))
    }

    @Test func aTimerCanBeSetAgainAfterItFired() async {
        var (timer, rings) = timer()
        await timer.set(for: time.now)
        #expect(await rings.next() != nil)
        await timer.set(for: time.now)

        #expect(await rings.next() != nil)
    }

    @Test func theTimeUntilTheTaskOfATimerRunsIsPartOfItsWait() async {
        var (timer, rings) = timer()
        for _ in 1...200 {
            let due = time.now + .seconds(60)
            await timer.set(for: due)
            // The clock is turned whether the task of the timer sleeps by now or not.
            time.advance(by: .seconds(60))

            #expect(await rings.next() == due)
        }
    }

    @Test func afterTheEndItIsNotSet() async {
        let (timer, _) = timer()
        await timer.stop()
        await timer.set(for: time.now + .seconds(5))

        #expect(time.sleeperCount == 0)
    }
}
