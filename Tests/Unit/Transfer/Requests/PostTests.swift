import Core
import TestSupport
import Testing

@testable import Transfer

struct PostTests {
    private static let body = Array("kind=iso".utf8)
    private static let credentials = RequestCredentials(
        headers: [.init(name: "Content-Type", value: "text/plain"), .init(name: "X-Key", value: "secret")],
        postBody: body
    )

    @Test(arguments: [[], body, [UInt8](repeating: 0, count: 64 << 10)])
    func theBodyIsSentAsGiven(_ body: [UInt8]) async throws {
        try await withBench { bench in
            var credentials = Self.credentials
            credentials.postBody = body
            let outcome = await bench.attempt(try bench.assignment(credentials: credentials))

            #expect(bench.holds(outcome.file))
            let request = try #require(bench.origin.requests.first)
            #expect(request.method == "POST" && request.body == body)
            #expect(request.value(of: "content-type") == "text/plain")
            #expect(request.value(of: "content-length") == "\(body.count)")
        }
    }

    @Test func anInterruptedPostRestartsWithoutARange() async throws {
        let script: [Behaviour] = [.dropping(after: 500_000), .page(503), .dropping(after: 900_000), .good]
        try await withBench(Content(size: 3_000_000), script: script) { bench in
            let outcomes = await bench.attempts(try bench.assignment(credentials: Self.credentials))

            #expect(bench.holds(outcomes.last?.file))
            let requests = bench.origin.requests
            #expect(requests.count == 4)
            #expect(requests.allSatisfy { $0.method == "POST" && $0.body == Self.body })
            #expect(requests.allSatisfy { $0.value(of: "range") == nil && $0.value(of: "if-range") == nil })
        }
    }

    @Test(arguments: [301, 302, 303])
    func aRedirectMakesItAGet(status: Int) async throws {
        try await withBench(script: [.redirect(status, to: "/there"), .good]) { bench in
            let outcome = await bench.attempt(try bench.assignment(credentials: Self.credentials))

            #expect(bench.holds(outcome.file))
            let second = try #require(bench.origin.requests.last)
            #expect(second.method == "GET" && second.body.isEmpty)
            #expect(second.value(of: "content-type") == nil && second.value(of: "x-key") == "secret")
        }
    }

    @Test(arguments: [307, 308])
    func aRedirectWithinTheOriginKeepsIt(status: Int) async throws {
        try await withBench(script: [.redirect(status, to: "/there"), .good]) { bench in
            let outcome = await bench.attempt(try bench.assignment(credentials: Self.credentials))

            #expect(bench.holds(outcome.file))
            let second = try #require(bench.origin.requests.last)
            #expect(second.method == "POST" && second.body == Self.body && second.path == "/there")
            #expect(second.value(of: "content-type") == "text/plain")
        }
    }

    @Test(arguments: [307, 308])
    func itsBodyIsNotSentToAnotherOrigin(status: Int) async throws {
        let other = Origin()
        defer { other.stop() }
        try await withBench(script: [.redirect(status, to: other.url("/x"))]) { bench in
            let outcome = await bench.attempt(try bench.assignment(credentials: Self.credentials))

            #expect(outcome.errorCode == .redirectForbidden)
            #expect(other.requests.isEmpty)
        }
    }

    @Test func anotherOriginIsAskedByGetWithoutAnythingOfIt() async throws {
        let other = Origin()
        defer { other.stop() }
        try await withBench(script: [.redirect(303, to: other.url("/x"))]) { bench in
            let outcome = await bench.attempt(try bench.assignment(credentials: Self.credentials))

            #expect(bench.holds(outcome.file))
            let request = try #require(other.requests.first)
            #expect(request.method == "GET" && request.body.isEmpty)
            #expect(request.value(of: "content-type") == nil && request.value(of: "x-key") == nil)
        }
    }
}
