import Core
import TestSupport
import Testing
import TransferRules

@testable import Transfer

/// Tunnels through an HTTP proxy to an origin that speaks TLS (RFC 9110, section 9.3.6).
struct TunnelTests {
    private static func withTunnel(
        _ stub: ProxyStub,
        _ content: Content = Content(size: 1000),
        script: [Behaviour] = [.good],
        _ body: (Bench) async throws -> Void
    ) async throws {
        defer { stub.stop() }
        let server = ProxyServer("http://127.0.0.1:\(stub.port)")
        let settings = Change<EngineSettings>.change { $0.proxies = ProxyRules(server: server) }
        try await withTLSBench(content, script: script, settings: settings, body)
    }

    @Test func aTunnelLeadsToTheFileAndSeesNothingOfIt() async throws {
        let stub = ProxyStub(.http)
        try await Self.withTunnel(stub) { bench in
            let secrets = RequestCredentials(authentication: .bearer(token: "canary"))
            let outcome = await bench.attempt(try bench.assignment("/file?sig=canary", credentials: secrets))

            #expect(bench.holds(outcome.file))
            #expect(stub.heads.count == 1 && !stub.heads[0].contains("canary"))
            #expect(bench.origin.requests.first?.value(of: "authorization") == "Bearer canary")
        }
    }

    @Test func anotherOneAtItsEndIsFound() async throws {
        let stub = ProxyStub(.http)
        try await Self.withTunnel(stub) { bench in
            let outcome = await bench.attempt(try bench.assignment("https://a.invalid:\(bench.origin.port)/file"))

            #expect(outcome.errorCode == .tlsFailed)
            #expect(bench.origin.requests.isEmpty)
        }
    }

    @Test func aTunnelThatSpeaksForItselfIsNotTheOrigin() async throws {
        let page = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong"
        let stub = ProxyStub(.http, .respondInTunnel(page))
        try await Self.withTunnel(stub) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.errorCode == .tlsFailed)
            #expect(bench.files.isEmpty && bench.origin.requests.isEmpty)
        }
    }

    @Test func aProxyThatHangsUpIsTriedAgainLater() async throws {
        let stub = ProxyStub(.http, .hangUp)
        try await Self.withTunnel(stub) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.errorCode == .proxyFailed)
            #expect(outcome.failure?.failureClass == .transient(.untilGivenUp))
        }
    }

    @Test func aTunnelThatBreaksIsGoneOnWith() async throws {
        let content = Content(size: 300_000)
        let stub = ProxyStub(.http, .dropAfter(90_000))
        try await Self.withTunnel(stub, content) { bench in
            let outcomes = await bench.attempts(try bench.assignment())

            #expect(bench.holds(outcomes.last?.file))
            #expect(stub.targets.count >= 4)
        }
    }
}
