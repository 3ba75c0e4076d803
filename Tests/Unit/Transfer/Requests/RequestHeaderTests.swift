import Core
import Curl
import TestSupport
import Testing
import TransferRules
import URLs

@testable import Transfer

struct RequestHeaderTests {
    private let credentials = RequestCredentials(
        headers: [.init(name: "Cookie", value: "a=b"), .init(name: "X-One", value: "1")],
        user: "me",
        password: "secret"
    )

    @Test func everyRequestOfADownloadIsTheSameButForItsRange() async throws {
        let script: [Behaviour] = [
            .dropping(after: 50_000), .page(503), .dropping(after: 60_000), .ranges(.labelled(nil)),
            .dropping(after: 1), .good,
        ]
        try await withBench(Content(size: 300_000), script: script) { bench in
            let outcomes = await bench.attempts(try bench.assignment(credentials: credentials))

            #expect(bench.holds(outcomes.last?.file))
            let requests = bench.origin.requests
            #expect(requests.count == 6)
            #expect(requests.allSatisfy { $0.method == "GET" && $0.body.isEmpty })
            #expect(Set(requests.map(fieldsWithoutRange)).count == 1)
        }
    }

    private func fieldsWithoutRange(_ request: RecordedRequest) -> [String] {
        request.fieldLines.filter { !$0.hasPrefix("Range:") && !$0.hasPrefix("If-Range:") }.sorted()
    }

    @Test func theServiceNamesItselfUnlessTheClientDoes() async throws {
        try await withBench(settings: .change { $0.userAgent = "Diver/2" }) { bench in
            _ = await bench.attempt(try bench.assignment())
            let own = RequestCredentials(headers: [
                .init(name: "user-agent", value: "mine"), .init(name: "ACCEPT", value: "a/b"),
            ])
            _ = await bench.attempt(try bench.assignment(credentials: own))

            let requests = bench.origin.requests
            #expect(requests[0].value(of: "user-agent") == "Diver/2")
            #expect(requests[0].value(of: "accept") == "*/*")
            #expect(requests[1].value(of: "user-agent") == "mine")
            #expect(requests[1].value(of: "accept") == "a/b")
            #expect(requests[1].fieldLines.filter { $0.lowercased().hasPrefix("user-agent:") }.count == 1)
            #expect(requests.allSatisfy { $0.value(of: "accept-encoding") == "identity" })
            #expect(requests.allSatisfy { $0.value(of: "cookie") == nil && $0.value(of: "range") == nil })
        }
    }

    @Test func aHeaderThatCannotBeSentEndsTheDownload() async throws {
        let bad = RequestCredentials(headers: [.init(name: "X", value: "a\r\nHost: evil")])
        try await withBench { bench in
            let outcome = await bench.attempt(try bench.assignment(credentials: bad))

            #expect(outcome.failure?.failureClass == .permanent)
            #expect(bench.origin.requests.isEmpty)
        }
    }
}

struct SourceURLTests {
    @Test(arguments: [
        ("http://EXAMPLE.org/a?b#c", "example.org:80"), ("https://example.org", "example.org:443"),
        ("http://127.1:81/", "127.0.0.1:81"), ("http://[::1]:8080/x", "[::1]:8080"), ("https://[::1]/x", "[::1]:443"),
    ])
    func aHostIsCountedUnderOneName(text: String, authority: String) throws {
        #expect(try GivenURL(parsing: text).url.authority == authority)
    }

    @Test func userInformationIsTakenOutOfTheURL() throws {
        let given = try GivenURL(parsing: "http://a%40b:c%3Ad@example.org/x")

        #expect(given.url.text == "http://example.org/x")
        #expect(given.user == "a@b")
        #expect(given.password == "c:d")
    }

    @Test(arguments: [
        "", "x", "ftp://a/b", "http://", "http://a b/", "http://a/\u{0}", "file:///x", "//a/b", "http:/a",
    ])
    func invalidURLsAreRefused(text: String) {
        #expect(throws: URLParseError.self) { try GivenURL(parsing: text) }
    }
}
