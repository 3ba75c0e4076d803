import Core
import Testing
import TestSupport
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

    @Test func aPortWhereNobodyListensIsTriedAgainLater() async throws {
        let nobody = ClosedPort()
        defer { withExtendedLifetime(nobody) {} }
        try await withBench { bench in
            let outcome = await bench.attempt(try bench.assignment(nobody.url("/file.bin")))

            #expect(outcome.failure?.failureClass == .transient(.untilGivenUp))
        }
    }
}
