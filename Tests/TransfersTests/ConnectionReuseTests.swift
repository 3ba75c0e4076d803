import Core
import Testing
import TestSupport
@testable import Transfer

/// Connections that are not what they seem when they are used again.
struct ConnectionReuseTests {
    private static let content = Content(size: 1000)

    enum Transport: CaseIterable {
        case clear, tls

        func bench(script: [Behaviour], _ body: (Bench) async throws -> Void) async throws {
            switch self {
            case .clear: try await withBench(content, script: script) { try await body($0) }
            case .tls: try await withTLSBench(content, script: script) { try await body($0) }
            }
        }
    }

    @Test(arguments: Transport.allCases, [Behaviour.Close.fin, .reset])
    func aKeptConnectionThatDiesAtTheRequestCostsNoAttempt(
        _ transport: Transport,
        close: Behaviour.Close
    ) async throws {
        let script = [.good, Behaviour { $0.ending = .closedAtOnce(by: close) }, .good]
        try await transport.bench(script: script) { bench in
            _ = await bench.attempt(try bench.assignment("/first"))

            let outcome = await bench.attempt(try bench.assignment("/second"))

            #expect(bench.holds(outcome.file))
            #expect(bench.origin.connectionCount == 2)
            #expect(bench.origin.requests.count == 3)
        }
    }

    @Test func aConnectionThatEndsWhileItIsKeptCostsNoAttempt() async throws {
        try await withBench(Self.content, script: [.dropping(after: Self.content.size), .good]) { bench in
            _ = await bench.attempt(try bench.assignment("/first"))

            let outcome = await bench.attempt(try bench.assignment("/second"))

            #expect(bench.holds(outcome.file))
            #expect(bench.origin.connectionCount == 2)
        }
    }

    /// A second response in the surplus of the first.
    @Test func whatFollowsABodyIsNotTheNextAnswer() async throws {
        let hidden = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong"
        let first = Behaviour {
            $0.answer = .document("right" + hidden)
            $0.framing = .wrongContentLength(by: Int64(-hidden.utf8.count))
        }
        try await withBench(Self.content, script: [first, .good]) { bench in
            let file = await bench.attempt(try bench.assignment("/first")).file
            let outcomes = await bench.attempts(try bench.assignment("/second"))

            #expect(try bench.text(try #require(file).path) == "right")
            #expect(bench.holds(outcomes.last?.file))
        }
    }

    /// The surplus comes when the connection is idle already.
    @Test(arguments: Transport.allCases)
    func whatComesOnAnIdleConnectionIsNotTheNextAnswer(_ transport: Transport) async throws {
        let hidden = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong"
        let rest = Signal()
        let first = Behaviour {
            $0.answer = .document("right" + hidden)
            $0.framing = .wrongContentLength(by: Int64(-hidden.utf8.count))
            $0.pace = .stall(after: 5, until: rest)
        }
        try await transport.bench(script: [first, .good]) { bench in
            _ = await bench.attempt(try bench.assignment("/first"))
            rest.fire()
            await bench.origin.answers.wait()

            let outcome = await bench.attempt(try bench.assignment("/second"))

            #expect(bench.holds(outcome.file))
            #expect(bench.origin.connectionCount == 2)
        }
    }

    @Test func theAnswerToAnotherRequestCostsNoWrongByte() async throws {
        let other = Behaviour {
            $0.subject = .version(1)
            $0.honoursIfRange = false
        }
        let content = Content(size: 300_000)
        try await withBench(content, script: [.dropping(after: 100_000), other, .good]) { bench in
            let keeper = MemoryKeeper()

            let outcomes = await bench.attempts(try bench.assignment(), keeper)

            #expect(bench.holds(outcomes.last?.file, content))
            #expect(keeper.restarts == ["etag_changed"])
        }
    }
}
