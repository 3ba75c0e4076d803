import ServiceSupport
import TestSupport
import Testing

/// Requests of web pages (the Fetch standard's CORS protocol).
@Suite(.hangLimit)
struct CrossOriginTests {
    private static let page = "https://good.example"

    private static func withPages(
        _ origins: [String] = [page],
        _ body: (TestService) async throws -> Void
    ) async throws {
        try await withService(
            .with {
                $0.runsScheduler = false
                $0.token = "token"
                $0.corsOrigins = origins
            }
        ) { try await body($0) }
    }

    @Test func aPreflightNeedsNoTokenAndNamesWhatMayBeSent() async throws {
        try await Self.withPages { service in
            let response = try await service.request(
                "OPTIONS",
                "/downloads",
                fields: [
                    ("Origin", Self.page), ("Access-Control-Request-Method", "POST"),
                    ("Access-Control-Request-Headers", "authorization, content-type"), ("Authorization", "-"),
                ]
            )
            let headers = response["access-control-allow-headers"] ?? ""

            #expect(response.status == 204)
            #expect(response["access-control-allow-origin"] == Self.page)
            #expect(response["access-control-allow-methods"] == "GET, HEAD, POST, OPTIONS")
            #expect(headers.contains("authorization") && headers.contains("idempotency-key"))
            #expect(response["access-control-max-age"] == "600")
            #expect(response["vary"]?.contains("Origin") == true)
        }
    }

    @Test(arguments: ["/downloads", "/nothing", "/livez"])
    func aPageReadsEveryAnswerRefusalsToo(_ path: String) async throws {
        try await Self.withPages { service in
            for fields in [[("Origin", Self.page)], [("Origin", Self.page), ("Authorization", "-")]] {
                let response = try await service.request("GET", path, fields: fields)

                #expect(response["access-control-allow-origin"] == Self.page)
                #expect(response["access-control-expose-headers"]?.contains("location") == true)
                #expect(response["vary"]?.contains("Origin") == true)
            }
        }
    }

    @Test func aPageReadsTheServersOwnRefusals() async throws {
        try await withService(
            .with {
                $0.runsScheduler = false
                $0.maxBodyBytes = 10
                $0.corsOrigins = [Self.page]
            }
        ) { service in
            let response = try await service.request(
                "POST",
                "/downloads",
                "12345678901",
                fields: [("Origin", Self.page)]
            )

            #expect(response.status == 413)
            #expect(response["access-control-allow-origin"] == Self.page)
        }
    }

    @Test(arguments: [
        "https://good.example.evil.example", "https://evil.example", "http://good.example", "https://good.example:444",
        "https://GOOD.example", "null", "", "*", "https://good.example/",
    ])
    func onlyTheExactOriginCounts(_ origin: String) async throws {
        try await Self.withPages { service in
            for method in ["GET", "OPTIONS"] {
                let response = try await service.request(
                    method,
                    "/downloads",
                    fields: [("Origin", origin), ("Access-Control-Request-Method", "GET")]
                )

                #expect(response["access-control-allow-origin"] == nil)
                #expect(response["vary"]?.contains("Origin") == true)
            }
        }
    }

    @Test(arguments: ["https://any.example", "null"])
    func aStarLetsEveryPageAskWithoutCredentials(_ origin: String) async throws {
        try await Self.withPages(["*"]) { service in
            let preflight = try await service.request(
                "OPTIONS",
                "/downloads",
                fields: [("Origin", origin), ("Access-Control-Request-Method", "POST"), ("Authorization", "-")]
            )
            let response = try await service.request("GET", "/downloads", fields: [("Origin", origin)])

            #expect(preflight["access-control-allow-origin"] == "*")
            #expect(preflight["access-control-allow-headers"]?.contains("authorization") == true)
            #expect(response["access-control-allow-origin"] == "*")
            #expect(response["access-control-expose-headers"]?.contains("location") == true)
            #expect(response["vary"] == nil)
        }
    }

    @Test func unlessItIsSetNoPageMayAsk() async throws {
        try await Self.withPages([]) { service in
            let response = try await service.request("GET", "/downloads", fields: [("Origin", Self.page)])

            #expect(response["access-control-allow-origin"] == nil)
            #expect(response["vary"] == nil)
        }
    }
}

/// What a page of another site can make a browser send to a service that asks for no token: nothing of it counts.
@Suite(.hangLimit)
struct CrossSiteTests {
    private static let download = "/downloads/dl_01kdyak3seeejr3cp3tkjzc1rr"
    private static let webhook = "/webhooks/whk_01kdyak3seeejr3cp3tkjzc1rr"
    private static let delivery = "\(webhook)/deliveries/dlv_01kdyak3seeejr3cp3tkjzc1rs"
    /// Every path with every method that it has.
    private static let operations = [
        ("GET", "/downloads"), ("HEAD", "/downloads"), ("POST", "/downloads"), ("POST", "/downloads/batch"),
        ("GET", download), ("PATCH", download), ("DELETE", download), ("GET", "\(download)/file"),
        ("GET", "\(download)/attempts"), ("GET", "\(download)/segments"), ("GET", "\(download)/events"),
        ("GET", "/events"), ("POST", "/tickets"), ("GET", "/sessions"), ("GET", "/sessions/a"),
        ("PUT", "/sessions/a"), ("PATCH", "/sessions/a"), ("DELETE", "/sessions/a"), ("GET", "/hosts"),
        ("GET", "/hosts/a:1"), ("PATCH", "/hosts/a:1"),
        ("GET", "/limits"), ("PUT", "/limits"), ("PATCH", "/limits"), ("GET", "/webhooks"), ("POST", "/webhooks"),
        ("GET", webhook), ("PATCH", webhook), ("DELETE", webhook), ("POST", "\(webhook)/ping"),
        ("POST", "\(webhook)/recover"), ("POST", "\(webhook)/rotate-secret"), ("GET", "\(webhook)/deliveries"),
        ("GET", delivery), ("POST", "\(delivery)/redeliver"), ("GET", "/nothing"),
    ]

    private static func open(
        _ origins: [String] = [],
        _ body: (TestService) async throws -> Void
    ) async throws {
        try await withService(
            .with {
                $0.runsScheduler = false
                $0.corsOrigins = origins
            }
        ) { try await body($0) }
    }

    static let foreign: [[(String, String)]] = [
        [("Origin", "https://evil.example")], [("Origin", "null")], [("Origin", "")],
        [("Origin", "http://127.0.0.1")], [("Origin", "http://localhost:1")], [("Origin", "http://127.0.0.1:1")],
        [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")], [("Sec-Fetch-Site", "CROSS-SITE")],
        [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "same-origin")],
    ]

    @Test(arguments: foreign)
    func aPageOfAnotherSiteIsNotServed(_ fields: [(String, String)]) async throws {
        try await Self.open { service in
            for (method, path) in Self.operations {
                let response = try await service.request(method, path, method == "POST" ? "{}" : nil, fields: fields)

                #expect(response.status == 403, "\(method) \(path)")
                #expect(method == "HEAD" || response.problem == "origin-not-allowed")
            }
            #expect(try await service.request("GET", "/livez", fields: fields).status == 200)
        }
    }

    @Test(arguments: ["same-origin", "none", "Same-Origin"])
    func aPageOfTheServiceAndAPersonAreServed(_ site: String) async throws {
        try await Self.open { service in
            let own = [("Sec-Fetch-Site", site), ("Origin", "http://127.0.0.1:\(service.client.port)")]

            for fields in [[own[0]], [own[1]], own] {
                let response = try await service.request("GET", "/downloads", fields: fields)
                #expect(response.status == 200)
            }
        }
    }

    @Test(arguments: [["https://good.example"], ["*"]])
    func aPageThatIsListedIsServed(_ origins: [String]) async throws {
        let fields = [("Origin", "https://good.example"), ("Sec-Fetch-Site", "cross-site")]
        try await Self.open(origins) { service in
            #expect(try await service.request("GET", "/downloads", fields: fields).status == 200)
            // Without an origin nobody can tell whose page it is; where any may ask, that does not matter.
            let unnamed = try await service.request("GET", "/downloads", fields: [fields[1]])
            #expect(unnamed.status == (origins == ["*"] ? 200 : 403))
        }
    }

    @Test func aTokenSaysMoreThanAnOrigin() async throws {
        try await withService(
            .with {
                $0.runsScheduler = false
                $0.token = "token"
            }
        ) { service in
            for fields in Self.foreign {
                #expect(try await service.request("GET", "/downloads", fields: fields).status == 200)
                // A proxy may have added the token for whoever has signed in there.
                let ping = "\(Self.webhook)/ping"
                let simple = fields + [("Content-Type", "text/plain")]
                #expect(try await service.request("POST", ping, fields: simple).status == 403)
                #expect(try await service.request("POST", ping, "{}", fields: fields).status == 404)
            }
            let ping = try await service.request(
                "POST",
                "\(Self.webhook)/ping",
                fields: [("Content-Type", "text/plain")]
            )
            #expect(ping.status == 404)
        }
    }

    /// What a form or a script sends to another site without asking first (Fetch standard, "CORS-safelisted
    /// request-header"); an old browser names no origin with it.
    static let simpleTypes = [
        "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a",
        "text/plain; a=application/json", "application/json+x",
    ]

    @Test(arguments: simpleTypes)
    func aPostThatAPageCanSendUnaskedIsRefused(_ type: String) async throws {
        try await Self.open { service in
            for (method, path) in Self.operations where method == "POST" {
                for body in [nil, "{}"] {
                    let response = try await service.request(method, path, body, fields: [("Content-Type", type)])

                    #expect(response.status == 415, "\(method) \(path)")
                    #expect(response.problem == "unsupported-media-type")
                }
            }
        }
    }

    @Test func aPostWithoutATypeIsRefused() async throws {
        try await Self.open { service in
            for path in ["\(Self.webhook)/ping", "\(Self.delivery)/redeliver"] {
                let response = try await service.client.send("POST", path)
                #expect(response.status == 415)
            }
        }
    }
}
