import Core
import TestSupport
import Testing
import TransferRules

@testable import Transfer

/// Downloads that go through a proxy, and what a proxy does to them.
struct ProxyTransferTests {
    private static let page = "this is the proxy"

    private static func server(_ stub: ProxyStub, _ scheme: ProxyServer.Scheme, login: String = "") -> ProxyServer? {
        ProxyServer("\(scheme.rawValue)://\(login)127.0.0.1:\(stub.port)")
    }

    private static func withProxy(
        _ stub: ProxyStub,
        _ scheme: ProxyServer.Scheme,
        login: String = "",
        content: Content = Content(size: 1000),
        script: [Behaviour] = [.good],
        destinations: DestinationPolicy = .any,
        exceptions: [ProxyRules.Exception] = [],
        _ body: (Bench) async throws -> Void
    ) async throws {
        defer { stub.stop() }
        let rules = ProxyRules(server: server(stub, scheme, login: login), exceptions: exceptions)
        let settings = Change<EngineSettings>.change {
            $0.proxies = rules
            $0.destinations = destinations
        }
        try await withBench(content, script: script, settings: settings) { try await body($0) }
    }

    @Test(arguments: [ProxyServer.Scheme.http, .socks5h])
    func theProxyLooksTheNameUpAndLeadsToTheFile(_ scheme: ProxyServer.Scheme) async throws {
        let stub = ProxyStub(scheme == .http ? .http : .socks5)
        try await Self.withProxy(stub, scheme) { bench in
            let outcome = await bench.attempt(
                try bench.assignment("http://origin.invalid:\(bench.origin.port)/file.bin")
            )

            #expect(bench.holds(outcome.file))
            #expect(stub.targets == ["origin.invalid:\(bench.origin.port)"])
        }
    }

    @Test(arguments: [true, false])
    func aProxyThatADownloadMayNotChooseAnyMoreIsNotAsked(_ isNone: Bool) async throws {
        let stub = ProxyStub(.http)
        defer { stub.stop() }
        let chosen = isNone ? ProxyChoice.direct : .server(try #require(Self.server(stub, .http)))
        let settings = Change<EngineSettings>.change { $0.proxies = ProxyRules(allowsClients: false) }
        try await withBench(settings: settings) { bench in
            let outcome = await bench.attempt(try bench.assignment(credentials: RequestCredentials(proxy: chosen)))

            #expect(outcome.errorCode == .destinationForbidden)
            #expect(outcome.failure?.failureClass == .permanent)
            #expect(stub.targets.isEmpty && bench.origin.requests.isEmpty)
        }
    }

    @Test func withSOCKS5TheAddressIsLookedUpHere() async throws {
        let stub = ProxyStub(.socks5)
        try await Self.withProxy(stub, .socks5) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(bench.holds(outcome.file))
            #expect(stub.targets == ["127.0.0.1:\(bench.origin.port)"])
        }
    }

    @Test(arguments: [ProxyServer.Scheme.http, .socks5h])
    func theProxyIsToldUserAndPassword(_ scheme: ProxyServer.Scheme) async throws {
        let stub = ProxyStub(scheme == .http ? .http : .socks5, credentials: "me:p@ss")
        try await Self.withProxy(stub, scheme, login: "me:p%40ss@") { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(bench.holds(outcome.file))
        }
    }

    @Test(arguments: [("http", "http"), ("http", "https"), ("socks5h", "http")])
    func aProxyThatAsksForALoginIsNamed(_ proxy: String, _ origin: String) async throws {
        let stub = ProxyStub(proxy == "http" ? .http : .socks5, credentials: "me:right")
        let scheme = try #require(ProxyServer.Scheme(rawValue: proxy))
        try await Self.withProxy(stub, scheme, login: "me:wrong@") { bench in
            let outcome = await bench.attempt(try bench.assignment("\(origin)://a.invalid:\(bench.origin.port)/f"))

            #expect(outcome.errorCode == .authRequired)
            #expect(outcome.failure?.failureClass == .credentials)
            #expect(outcome.failure?.error.message.contains("\(proxy)://127.0.0.1:\(stub.port)") == true)
            #expect(outcome.failure?.error.message.contains("wrong") == false)
            #expect(bench.files.isEmpty && bench.origin.requests.isEmpty)
        }
    }

    @Test(arguments: [("http", 502), ("http", 403), ("socks5h", 2), ("socks5h", 5)])
    func aProxyThatRefusesToLeadToTheOriginIsNamed(_ proxy: String, _ code: Int) async throws {
        let stub = ProxyStub(proxy == "http" ? .http : .socks5, .refuse(code: code))
        let scheme = try #require(ProxyServer.Scheme(rawValue: proxy))
        try await Self.withProxy(stub, scheme) { bench in
            let outcome = await bench.attempt(try bench.assignment("https://a.invalid:\(bench.origin.port)/f"))

            #expect(outcome.errorCode == .proxyFailed)
            #expect(outcome.failure?.failureClass == .transient(.untilGivenUp))
            #expect(outcome.failure?.error.message.contains("\(proxy)://127.0.0.1:\(stub.port)") == true)
            #expect(outcome.failure?.error.httpStatus == (proxy == "http" ? code : nil))
            #expect(bench.origin.requests.isEmpty)
        }
    }

    @Test func theProxyOfATunnelSeesNothingThatIsForTheOrigin() async throws {
        let stub = ProxyStub(.http, .refuse(code: 502))
        let secrets = RequestCredentials(
            headers: [.init(name: "X-Key", value: "canary")],
            authentication: .bearer(token: "canary"),
            cookies: [.init(name: "a", value: "canary")]
        )
        try await Self.withProxy(stub, .http) { bench in
            _ = await bench.attempt(try bench.assignment("https://a.invalid:443/f?sig=canary", credentials: secrets))

            #expect(stub.heads.count == 1 && stub.heads[0].hasPrefix("CONNECT a.invalid:443 "))
            #expect(!stub.heads[0].contains("canary"))
        }
    }

    @Test func theProxysPageNeverLandsInTheFile() async throws {
        let stub = ProxyStub(.http, .refuse(code: 502))
        try await Self.withProxy(stub, .http) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.errorCode == .httpServerError)
            #expect(bench.files.isEmpty && bench.parts.isEmpty)
        }
    }

    @Test(arguments: [ProxyServer.Scheme.http, .socks5h])
    func aProxyThatCannotBeReachedSaysNothingOfTheOrigin(_ scheme: ProxyServer.Scheme) async throws {
        let gone = ClosedPort()
        defer { withExtendedLifetime(gone) {} }
        let settings = Change<EngineSettings>.change {
            $0.proxies = ProxyRules(server: ProxyServer("\(scheme.rawValue)://127.0.0.1:\(gone.port)"))
        }
        try await withBench(Content(size: 1000), settings: settings) { bench in
            var outcomes: [AttemptOutcome] = []
            for _ in 0..<12 { outcomes.append(await bench.attempt(try bench.assignment())) }

            #expect(outcomes.allSatisfy { $0.errorCode == .proxyFailed })
        }
    }

    @Test func aProxyThatDiesOnTheWayIsGoneOnWith() async throws {
        let stub = ProxyStub(.socks5, .dropAfter(90_000))
        try await Self.withProxy(stub, .socks5h, content: Content(size: 300_000)) { bench in
            let outcomes = await bench.attempts(try bench.assignment())

            #expect(bench.holds(outcomes.last?.file))
            #expect(stub.targets.count >= 4)
        }
    }

    @Test func anExceptionAndTheDownloadsOwnWordGoWithoutTheProxy() async throws {
        let block = try #require(ProxyRules.Exception("127.0.0.0/8"))
        for exceptions in [[block], []] {
            let stub = ProxyStub(.http)
            try await Self.withProxy(stub, .http, exceptions: exceptions) { bench in
                let own = RequestCredentials(proxy: exceptions.isEmpty ? .direct : nil)
                let outcome = await bench.attempt(try bench.assignment(credentials: own))

                #expect(bench.holds(outcome.file))
                #expect(stub.targets.isEmpty)
            }
        }
    }

    @Test func theDownloadsOwnProxyTakesThePlaceOfTheOperators() async throws {
        let own = ProxyStub(.socks5)
        defer { own.stop() }
        let stub = ProxyStub(.http)
        try await Self.withProxy(stub, .http) { bench in
            let server = try #require(Self.server(own, .socks5h))
            let credentials = RequestCredentials(proxy: .server(server))
            let outcome = await bench.attempt(try bench.assignment(credentials: credentials))

            #expect(bench.holds(outcome.file))
            #expect(own.targets.count == 1 && stub.targets.isEmpty)
        }
    }

    @Test func aClientsProxyIsHeldToTheDestinationPolicy() async throws {
        let stub = ProxyStub(.http)
        defer { stub.stop() }
        let limited = Change<EngineSettings>.change { $0.destinations = .publicOnly(allowances: []) }
        try await withBench(settings: limited) { bench in
            let server = try #require(Self.server(stub, .http))
            let credentials = RequestCredentials(proxy: .server(server))
            let assignment = try bench.assignment("http://a.invalid:8080/f", credentials: credentials)
            let outcome = await bench.attempt(assignment)

            #expect(outcome.errorCode == .destinationForbidden)
            #expect(stub.targets.isEmpty)
        }
    }

    @Test(arguments: ["http://127.0.0.1:8080/f", "http://[::ffff:10.0.0.1]:8080/f", "https://169.254.169.254/"])
    func anAddressThatIsNotAllowedIsNotAskedThroughTheOperatorsProxyEither(_ url: String) async throws {
        let stub = ProxyStub(.http)
        try await Self.withProxy(stub, .http, destinations: .publicOnly(allowances: [])) { bench in
            let outcome = await bench.attempt(try bench.assignment(url))

            #expect(outcome.errorCode == .destinationForbidden)
            #expect(stub.targets.isEmpty)
        }
    }

    /// Only the proxy knows the address of a name, so nothing but the port can be checked here.
    @Test func aRedirectLeadsToNoPortOfAnotherServiceThroughTheOperatorsProxy() async throws {
        let stub = ProxyStub(.http)
        let script: [Behaviour] = [.redirect(to: "http://a.invalid:6379/")]
        try await Self.withProxy(stub, .http, script: script, destinations: .publicOnly(allowances: [])) { bench in
            let outcome = await bench.attempt(try bench.assignment("http://a.invalid:\(bench.origin.port)/f"))

            #expect(outcome.errorCode == .destinationForbidden)
            #expect(stub.targets == ["a.invalid:\(bench.origin.port)"])
        }
    }

    @Test func theOperatorsProxyMayBeAnywhere() async throws {
        let stub = ProxyStub(.http)
        try await Self.withProxy(stub, .http, destinations: .publicOnly(allowances: [])) { bench in
            let outcome = await bench.attempt(try bench.assignment("http://a.invalid:\(bench.origin.port)/f"))

            #expect(bench.holds(outcome.file))
        }
    }
}
