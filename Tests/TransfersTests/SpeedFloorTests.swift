import Core
import Testing
import TestSupport
@testable import Transfer

/// Downloads that come more slowly than the operator lets them.
@Suite(.timeLimit(.minutes(5)))
struct SpeedFloorTests {
    private static let floor = SpeedFloor(bytesPerSecond: 20_000, time: .seconds(1))
    private static let drip = Behaviour.pace(.drip(byteCount: 10, every: .milliseconds(10)))

    private static func settings(
        _ change: @escaping (inout EngineSettings) -> Void = { _ in }
    ) -> Change<EngineSettings> {
        .change { settings in
            settings.speedFloor = floor
            settings.connections = 1
            change(&settings)
        }
    }

    /// Held in memory, and written as it comes.
    @Test(arguments: [Int64(100_000), 2 << 20])
    func aDownloadBelowTheFloorIsGivenUpAndGoneOnWithWhereItWas(size: Int64) async throws {
        let content = Content(size: size)
        try await withBench(content, script: [Self.drip, .good], settings: Self.settings(), runsByItself: true) {
            bench in
            let keeper = MemoryKeeper()

            let slow = await bench.attempt(try bench.assignment(), keeper)
            let durable = keeper.checkpoints.last?.durableEnd ?? 0
            let whole = await bench.attempt(try #require(keeper.assignment), keeper)

            #expect(slow.errorCode == .lowSpeed)
            #expect(slow.failure?.failureClass == .transient(.untilGivenUp))
            #expect(slow.madeProgress)
            #expect(durable > 0)
            #expect(bench.origin.requests.last?.value(of: "range")?.hasPrefix("bytes=\(durable)-") == true)
            #expect(bench.holds(whole.file, content))
        }
    }

    @Test func aLimitOnTheRateIsNoSlowness() async throws {
        let content = Content(size: 30_000)
        try await withBench(content, settings: Self.settings { $0.rateLimit = 8_000 }, runsByItself: true) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(bench.holds(outcome.file, content))
            #expect(bench.origin.requests.count == 1)
        }
    }

    @Test func aStopIsNoSlowness() async throws {
        let content = Content(size: 2 << 20)
        try await withBench(content, script: [Self.drip], settings: Self.settings(), runsByItself: true) { bench in
            let assignment = try bench.assignment()
            let attempt = Task { await bench.attempt(assignment) }
            await bench.origin.requests(atLeast: 1)
            attempt.cancel()

            #expect(await attempt.value.isStopped)
        }
    }
}
