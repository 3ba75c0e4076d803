import API
import ServiceSupport
import TestSupport
import Testing

/// Who may ask, and from where.
@Suite(.hangLimit)
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
    private static let open = ["/livez", "/readyz", "/openapi.yaml", "/openapi.json", "/problems/not-found"]

    @Test(arguments: [
        "", "Bearer", "Bearer ", "Bearer wrong", "bearer tokens", "Bearer token x", "Basic dG9rZW4=", "token",
        "Bearer TOKEN",
    ])
    func withoutTheTokenNothingIsAnswered(_ authorization: String) async throws {
        try await withService(Self.withToken) { service in
            for (method, path) in Self.closed {
                let response = try await service.request(method, path, fields: [("Authorization", authorization)])

                #expect(response.status == 401, "\(method) \(path)")
                #expect(response.problem == "unauthenticated")
                #expect(response["www-authenticate"]?.hasPrefix("Bearer ") == true)
            }
        }
    }

    /// RFC 6750, section 3.1: who showed no token is told of no error.
    @Test(arguments: [
        ("", false), ("Basic dG9rZW4=", false), ("Bearer wrong", true), ("bearer token x", true),
    ])
    func aTokenThatIsWrongIsToldFromNone(_ authorization: String, _ isWrong: Bool) async throws {
        try await withService(Self.withToken) { service in
            let response = try await service.request("GET", "/downloads", fields: [("Authorization", authorization)])
            let error = isWrong ? ", error=\"invalid_token\"" : ""

            #expect(response["www-authenticate"] == "Bearer realm=\"cormorant\"\(error)")
        }
    }

    @Test func aWrongTokenIsLoggedOnceAMinuteForEachAddress() async throws {
        try await withService(Self.withToken) { service in
            func send() async throws {
                for _ in 0..<5 {
                    _ = try await service.request("GET", "/downloads", fields: [("Authorization", "Bearer x")])
                }
            }
            func lines() -> [String] { service.logs.lines.filter { $0.contains("wrong token") } }

            try await send()
            #expect(lines().count == 1)
            #expect(lines().first?.contains("127.0.0.1") == true)
            service.time.advance(by: .seconds(61))
            try await send()
            #expect(lines().count == 2)
            #expect(lines().last?.contains("5") == true)
            #expect(!lines().joined().contains("Bearer"))
        }
    }

    @Test(arguments: ["Bearer token", "bearer token", "BEARER  token"])
    func theTokenOpensEveryDoor(_ authorization: String) async throws {
        try await withService(Self.withToken) { service in
            let fields = [("Authorization", authorization), ("X-Forwarded-For", "192.0.2.1")]
            let response = try await service.request("GET", "/downloads", fields: fields)

            #expect(response.status == 200)
        }
    }

    private static let guess = [("Authorization", "Bearer wrong")]

    @Test func afterTenWrongTokensFurtherOnesAreToldToWait() async throws {
        try await withService(Self.withToken) { service in
            for _ in 0..<10 {
                #expect(try await service.request("GET", "/downloads", fields: Self.guess).status == 401)
            }
            for path in ["/downloads", "/events?ticket=wrong"] {
                let fields = path == "/downloads" ? Self.guess : []
                let response = try await service.client.send("GET", path, fields: fields)

                #expect(response.status == 429)
                #expect(response.problem == "too-many-wrong-tokens")
                #expect(response["retry-after"] == "6")
                #expect(response["connection"]?.lowercased() == "close")
            }
            service.time.advance(by: .seconds(6))
            #expect(try await service.request("GET", "/downloads", fields: Self.guess).status == 401)
            #expect(try await service.request("GET", "/downloads", fields: Self.guess).status == 429)
            service.time.advance(by: .seconds(60))
            for _ in 0..<10 {
                #expect(try await service.request("GET", "/downloads", fields: Self.guess).status == 401)
            }
        }
    }

    @Test func aWallClockThatIsSetAllowsNoFurtherWrongTokens() async throws {
        let statuses = try await withService(Self.withToken) { service in
            var statuses: [Int] = []
            for number in 0...10 {
                if number == 10 { service.time.setWall(by: .seconds(3600)) }
                statuses.append(try await service.request("GET", "/downloads", fields: Self.guess).status)
            }
            return statuses
        }

        #expect(statuses == Array(repeating: 401, count: 10) + [429])
    }

    /// Who shares an address with a guesser is not locked out by it: neither with the token, nor without any.
    @Test func wrongTokensDoNotLockOutTheRightToken() async throws {
        try await withService(Self.withToken) { service in
            for _ in 0..<50 { _ = try await service.request("GET", "/downloads", fields: Self.guess) }
            let ticket = try await service.request("POST", "/tickets", #"{"path":"/events"}"#)
            let href = try #require(try ticket.json["links"]?["resource"]?.text)

            #expect(try await service.request("GET", "/downloads").status == 200)
            #expect(try await service.client.send("HEAD", href).status == 200)
            #expect(
                try await service.request("GET", "/downloads", fields: [("Authorization", "Basic eDp5")]).status == 401
            )
            #expect(try await service.client.send("GET", "/downloads").status == 401)
            #expect(try await service.client.send("GET", "/livez").status == 200)
        }
    }

    /// RFC 9110, section 10.1.1: the one who asks first sends no body that nobody wants.
    @Test func aRefusedRequestSendsNoBody() async throws {
        try await withService(Self.withToken) { service in
            let port = service.client.port
            func request(_ line: String, _ fields: [String]) async throws -> ReceivedResponse {
                let head = [line, "Host: localhost:\(port)", "Connection: close", "Expect: 100-continue"] + fields
                return try await service.client.exchange(Array((head + ["", ""]).joined(separator: "\r\n").utf8))
            }
            let right = "Authorization: Bearer token"
            let json = "Content-Type: application/json"
            for (line, fields, status) in [
                ("POST /downloads HTTP/1.1", [json, "Content-Length: 1000"], 401),
                ("POST /downloads HTTP/1.1", [right, json, "Host: b", "Content-Length: 1000"], 400),
                ("POST /nothing HTTP/1.1", [right, json, "Content-Length: 1000"], 404),
                ("PUT /downloads HTTP/1.1", [right, json, "Content-Length: 1000"], 405),
                ("POST /downloads HTTP/1.1", [right, json, "Accept: text/html", "Content-Length: 1000"], 406),
                ("POST /downloads HTTP/1.1", [right, "Content-Type: text/plain", "Content-Length: 1000"], 415),
                ("PATCH /limits HTTP/1.1", [right, "Content-Type: text/plain", "Transfer-Encoding: chunked"], 415),
                ("POST /downloads HTTP/1.1", [right, json, "Content-Encoding: gzip", "Content-Length: 1000"], 415),
                ("POST /downloads HTTP/1.1", [right, json, "Content-Length: 10000000"], 413),
                // What anyone may ask for takes no body at all.
                ("GET /livez HTTP/1.1", ["Content-Length: 1000"], 413),
                ("GET /problems/busy HTTP/1.1", ["Content-Length: 1"], 413),
                ("OPTIONS /downloads HTTP/1.1", ["Content-Length: 1000"], 413),
            ] {
                let response = try await request(line, fields)
                #expect(response.status == status, "\(line) \(fields)")
            }
        }
    }

    @Test(arguments: open)
    func healthAndDocumentsNeedNoTokenAndNoName(_ path: String) async throws {
        try await withService(.with { $0.token = "token" }) { service in
            try await service.isReady()
            let response = try await service.request("GET", path, fields: [("Authorization", "-"), ("Host", "probe")])

            #expect(response.status == 200)
        }
    }

    @Test(arguments: [
        "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "x-forwarded-anything", "Via", "X-Real-IP", "X-Client-IP",
        "Client-IP", "CF-Connecting-IP", "cf-ray", "True-Client-IP", "X-Original-URL", "X-Original-Forwarded-For",
        "X-Rewrite-URL", "X-Cluster-Client-IP", "X-ProxyUser-Ip", "Fastly-Client-IP", "Fly-Client-IP",
        "X-Envoy-External-Address", "X-Azure-ClientIP", "X-Appgw-Trace-Id", "CDN-Loop", "X-Forwarded-By-Anyone",
        "Tailscale-User-Login", "X-Varnish", "X-Arr-Log-Id", "X-Forwarded", "Forwarded-For", "X-Remote-Addr",
        "X-Scheme", "Front-End-Https", "Early-Data", "Surrogate-Capability", "Client-Cert", "X-Host",
        "X-AppEngine-User-IP", "Akamai-Origin-Hop", "WL-Proxy-Client-IP",
    ])
    func withoutATokenAProxyOpensNothing(_ name: String) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            for (method, path) in Self.closed {
                let response = try await service.request(method, path, fields: [(name, "x")])

                #expect(response.status == 401, "\(method) \(path)")
            }
            #expect(try await service.request("GET", "/livez", fields: [(name, "x")]).status == 200)
        }
    }

    @Test(arguments: ["localhost:evil.example", "[::1]evil", "[::1", "localhost:80:80", "::1", "localhost:8\u{212A}"])
    func aHostThatIsNoHostAndPortIsRefused(_ host: String) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let response = try await service.request("GET", "/downloads", fields: [("Host", host)])

            #expect(response.status == 400)
            #expect(response.problem == "invalid-request")
        }
    }

    @Test(arguments: ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "[::2]", "localhos"])
    func anotherHostIsNotServed(_ host: String) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            for (method, path) in Self.closed {
                let response = try await service.request(method, path, fields: [("Host", host)])

                #expect(response.status == 421, "\(method) \(path)")
                #expect(response.problem == "host-not-allowed")
            }
            #expect(try await service.request("OPTIONS", "/downloads", fields: [("Host", host)]).status == 421)
        }
    }

    @Test(arguments: ["localhost", "LOCALHOST:8080", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:9", "[0:0::1]:9"])
    func theNamesOfThisMachineAreServed(_ host: String) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let response = try await service.request("GET", "/downloads", fields: [("Host", host)])

            #expect(response.status == 200)
        }
    }

    @Test func withoutAListEveryNameIsServed() async throws {
        try await withService(
            .with {
                $0.runsScheduler = false
                $0.hosts = nil
            }
        ) { service in
            let response = try await service.request("GET", "/downloads", fields: [("Host", "any.example")])

            #expect(response.status == 200)
        }
    }
}
