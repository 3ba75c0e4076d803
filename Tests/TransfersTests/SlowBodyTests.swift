import Core
import Testing
import TestSupport
@testable import Transfer

/// Bodies that come more slowly than is waited for.
struct SlowBodyTests {
    private static let content = Content(size: 2 << 20)

    /// By the clock of libcurl, which no test can turn: so the pace is raised to what a test has time for.
    private static var settings: Change<EngineSettings> {
        .change { settings in
            settings.leastPace = 20_000
            settings.slowTime = .seconds(1)
            settings.connections = 1
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func aBodyThatDripsIsGivenUpAndGoneOnWithWhereItWas() async throws {
        let drip = Behaviour.pace(.drip(byteCount: 10, every: .milliseconds(10)))
        try await withBench(Self.content, script: [drip, .good], settings: Self.settings, runsByItself: true) { bench in
            let keeper = MemoryKeeper()

            let slow = await bench.attempt(try bench.assignment(), keeper)
            let durable = keeper.checkpoints.last?.durableEnd ?? 0
            let whole = await bench.attempt(try #require(keeper.assignment), keeper)

            #expect(slow.errorCode == .lowSpeed)
            #expect(slow.failure?.failureClass == .transient(.untilGivenUp))
            #expect(durable > 0)
            #expect(bench.origin.requests.last?.value(of: "range")?.hasPrefix("bytes=\(durable)-") == true)
            #expect(bench.holds(whole.file))
            #expect(keeper.restarts.isEmpty)
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func aBodyThatIsSlowAndFastEnoughIsWaitedFor() async throws {
        let drip = Behaviour.pace(.drip(byteCount: 4096, every: .milliseconds(20)))
        try await withBench(Content(size: 400_000), script: [drip], settings: Self.settings) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(bench.holds(outcome.file))
            #expect(bench.origin.requests.count == 1)
        }
    }
}
