import Service
import Synchronization
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(5)))
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
