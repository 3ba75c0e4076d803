import Core
import Testing
import TestSupport
@testable import Transfer

/// Connections over TLS that are not what they seem when they are used again.
struct TLSReuseTests {
    private static let content = Content(size: 1000)
    private static let hidden = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong"

    /// Says `text`, and sends what looks like a second response after it.
    private static func surplus(after text: String, pace: Behaviour.Pace = .full) -> Behaviour {
        Behaviour {
            $0.answer = .document(text + hidden)
            $0.framing = .wrongContentLength(by: Int64(-hidden.utf8.count))
            $0.pace = pace
        }
    }

    @Test func aConnectionIsUsedAgain() async throws {
        try await withTLSBench(Self.content) { bench in
            _ = await bench.attempt(try bench.assignment("/first"))

            let outcome = await bench.attempt(try bench.assignment("/second"))

            #expect(bench.holds(outcome.file))
            #expect(bench.origin.connectionCount == 1)
        }
    }

    /// With a body of several records the surplus lies in the last of them, which is decrypted already.
    @Test(arguments: [5, 40_000, 200_000])
    func whatFollowsABodyIsNotTheNextAnswer(byteCount: Int) async throws {
        let text = String(repeating: "r", count: byteCount)
        try await withTLSBench(Self.content, script: [Self.surplus(after: text), .good]) { bench in
            let file = await bench.attempt(try bench.assignment("/first")).file
            let outcome = await bench.attempt(try bench.assignment("/second"))

            #expect(try bench.text(try #require(file).path) == text)
            #expect(bench.holds(outcome.file))
            #expect(bench.origin.connectionCount == 2)
        }
    }
}
