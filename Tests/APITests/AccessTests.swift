import ServiceSupport
import TestSupport
import Testing
import Wire

/// Who may ask, and from where.
@Suite(.timeLimit(.minutes(5)))
struct AccessTests {
    private static let closed = [
        ("GET", "/downloads"), ("POST", "/downloads"), ("GET", "/downloads/dl_01kdyak3seeejr3cp3tkjzc1rr"),
        ("PATCH", "/downloads/dl_01kdyak3seeejr3cp3tkjzc1rr"), ("DELETE", "/downloads/dl_01kdyak3seeejr3cp3tkjzc1rr"),
        ("GET", "/downloads/dl_01kdyak3seeejr3cp3tkjzc1rr/file"), ("GET", "/sessions"), ("GET", "/sessions/a"),
        ("GET", "/nothing"), ("PUT", "/downloads"),
    ]
    private static let withToken = TestService.Options.with {
        $0.runsScheduler = false
        $0.token = "token"
    }
    private static let open = ["/livez", "/readyz", "/openapi.yaml", "/problems/not-found"]

    @Test(arguments: [
        "", "Bearer", "Bearer ", "Bearer wrong", "bearer tokens", "Bearer token x", "Basic dG9rZW4=", "token",
        "Bearer TOKEN",
    ])
    func withoutTheTokenNothingIsAnswered(_ authorization: String) async throws {
        try await withService(Self.withToken) { service in
            for (method, path) in Self.closed {
                let answer = try await service.ask(method, path, fields: [("Authorization", authorization)])

                #expect(answer.status == 401, "\(method) \(path)")
                #expect(answer.problem == "unauthenticated")
                #expect(answer["www-authenticate"]?.hasPrefix("Bearer ") == true)
            }
        }
    }

    /// RFC 6750, section 3.1: who showed no token is told of no error.
    @Test(arguments: [
        ("", false), ("Basic dG9rZW4=", false), ("Bearer wrong", true), ("bearer token x", true),
    ])
    func aTokenThatIsWrongIsToldFromNone(_ authorization: String, _ isWrong: Bool) async throws {
        try await withService(Self.withToken) { service in
            let answer = try await service.ask("GET", "/downloads", fields: [("Authorization", authorization)])
            let error = isWrong ? ", error=\"invalid_token\"" : ""

            #expect(answer["www-authenticate"] == "Bearer realm=\"cormorant\"\(error)")
        }
    }

    @Test(arguments: ["Bearer token", "bearer token", "BEARER  token"])
    func theTokenOpensEveryDoor(_ authorization: String) async throws {
        try await withService(Self.withToken) { service in
            let fields = [("Authorization", authorization), ("X-Forwarded-For", "192.0.2.1")]
            let answer = try await service.ask("GET", "/downloads", fields: fields)

            #expect(answer.status == 200)
        }
    }

    @Test(arguments: open)
    func healthAndDocumentsNeedNoTokenAndNoName(_ path: String) async throws {
        try await withService(.with { $0.token = "token" }) { service in
            try await service.poll { try await service.send("GET", "/readyz").status == 200 ? () : nil }
            let answer = try await service.ask("GET", path, fields: [("Authorization", "-"), ("Host", "probe")])

            #expect(answer.status == 200)
        }
    }

    @Test(arguments: ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "x-forwarded-anything", "Via"])
    func withoutATokenAProxyOpensNothing(_ name: String) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            for (method, path) in Self.closed {
                let answer = try await service.ask(method, path, fields: [(name, "x")])

                #expect(answer.status == 401, "\(method) \(path)")
            }
            #expect(try await service.ask("GET", "/livez", fields: [(name, "x")]).status == 200)
        }
    }

    @Test(arguments: ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "[::2]", "localhos"])
    func anotherHostIsNotServed(_ host: String) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            for (method, path) in Self.closed {
                let answer = try await service.ask(method, path, fields: [("Host", host)])

                #expect(answer.status == 421, "\(method) \(path)")
                #expect(answer.problem == "host-not-allowed")
            }
            #expect(try await service.ask("OPTIONS", "/downloads", fields: [("Host", host)]).status == 421)
        }
    }

    @Test(arguments: ["localhost", "LOCALHOST:8080", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:9", "[0:0::1]:9"])
    func theNamesOfThisMachineAreServed(_ host: String) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let answer = try await service.ask("GET", "/downloads", fields: [("Host", host)])

            #expect(answer.status == 200)
        }
    }

    @Test func withoutAListEveryNameIsServed() async throws {
        try await withService(
            .with {
                $0.runsScheduler = false
                $0.hosts = nil
            }
        ) { service in
            let answer = try await service.ask("GET", "/downloads", fields: [("Host", "any.example")])

            #expect(answer.status == 200)
        }
    }
}
