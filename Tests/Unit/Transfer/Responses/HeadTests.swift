import Core
import TestSupport
import Testing
import TransferRules
import TransferSupport

@testable import Transfer

/// Heads that are too much.
struct HeadTests {
    @Test func aFloodOfFieldsIsRefused() async throws {
        try await withBench(script: [.fields((0..<300).map { "X-\($0): y" })]) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.errorCode == .badResponse)
            #expect(bench.parts.isEmpty)
        }
    }

    @Test func aVeryLongFieldIsRefused() async throws {
        try await withBench(script: [.fields(["X-Long: " + String(repeating: "x", count: 300_000)])]) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.failure != nil)
            #expect(bench.files.isEmpty && bench.parts.isEmpty)
        }
    }

    @Test func someInterimResponsesArePassedOver() async throws {
        try await withBench(script: [.interimResponses(3)]) { bench in
            let file = await bench.attempt(try bench.assignment()).file

            #expect(bench.holds(file))
        }
    }

    @Test func endlessInterimResponsesAreRefused() async throws {
        try await withBench(script: [.interimResponses(10_000)]) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.errorCode == .badResponse)
        }
    }

    @Test(arguments: [Behaviour.Close.fin, .reset])
    func aConnectionClosedBeforeAnAnswerIsTriedAgainLater(close: Behaviour.Close) async throws {
        try await withBench(script: [Behaviour { $0.ending = .closedAtOnce(by: close) }]) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.failure?.failureClass != .permanent)
            #expect(bench.parts.isEmpty)
        }
    }

    @Test func aClosedPortIsRetriedLater() async throws {
        let nobody = ClosedPort()
        defer { withExtendedLifetime(nobody) {} }
        try await withBench { bench in
            let outcome = await bench.attempt(try bench.assignment(nobody.url("/file.bin")))

            #expect(outcome.failure?.failureClass == .transient(.untilGivenUp))
        }
    }
}

/// Connections that end where ``DropTests`` has none: within a head, and with the last byte.
struct HeadCutTests {
    private static let content = Content(size: 300_000)

    /// The last field of the head is the length: four bytes before the end all of it is there but the end of its line.
    @Test(arguments: [Behaviour.Close.fin, .reset], [1, 8, 14, 60, -1, -2, -3, -4, -5])
    func aHeadThatIsCutIsNoAnswer(close: Behaviour.Close, place: Int) async throws {
        let cut = Behaviour { $0.ending = .cutInHead(at: place, by: close) }
        for script in [[cut, .good], [.dropping(after: 100_000), cut, .good]] {
            try await withBench(Self.content, script: script) { bench in
                let checkpointSink = MemoryCheckpointSink()

                let outcomes = await bench.attempts(try bench.assignment(), checkpointSink)

                #expect(outcomes.count == script.count)
                #expect(bench.holds(outcomes.last?.file))
                #expect(checkpointSink.restarts.isEmpty)
            }
        }
    }

    @Test(arguments: [Behaviour.Close.fin, .reset])
    func aConnectionMayEndWithTheLastByte(close: Behaviour.Close) async throws {
        let script: [Behaviour] = [.dropping(after: Self.content.size, by: close), .good]
        try await withBench(Self.content, script: script) { bench in
            let outcomes = await bench.attempts(try bench.assignment())

            #expect(bench.holds(outcomes.last?.file))
            #expect(close == .reset || outcomes.count == 1)
        }
    }
}
