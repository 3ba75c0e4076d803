import ServiceSupport
import Testing
import TestSupport

/// Requests of web pages (the Fetch standard's CORS protocol).
@Suite(.timeLimit(.minutes(5)))
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
            let answer = try await service.ask(
                "OPTIONS",
                "/downloads",
                fields: [
                    ("Origin", Self.page), ("Access-Control-Request-Method", "POST"),
                    ("Access-Control-Request-Headers", "authorization, content-type"), ("Authorization", "-"),
                ]
            )
            let headers = answer["access-control-allow-headers"] ?? ""

            #expect(answer.status == 204)
            #expect(answer["access-control-allow-origin"] == Self.page)
            #expect(answer["access-control-allow-methods"] == "GET, HEAD, POST, OPTIONS")
            #expect(headers.contains("authorization") && headers.contains("idempotency-key"))
            #expect(answer["access-control-max-age"] == "600")
            #expect(answer["vary"]?.contains("Origin") == true)
        }
    }

    @Test(arguments: ["/downloads", "/nothing", "/livez"])
    func aPageReadsEveryAnswerRefusalsToo(_ path: String) async throws {
        try await Self.withPages { service in
            for fields in [[("Origin", Self.page)], [("Origin", Self.page), ("Authorization", "-")]] {
                let answer = try await service.ask("GET", path, fields: fields)

                #expect(answer["access-control-allow-origin"] == Self.page)
                #expect(answer["access-control-expose-headers"]?.contains("location") == true)
                #expect(answer["vary"]?.contains("Origin") == true)
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
            let answer = try await service.ask("POST", "/downloads", "12345678901", fields: [("Origin", Self.page)])

            #expect(answer.status == 413)
            #expect(answer["access-control-allow-origin"] == Self.page)
        }
    }

    @Test(arguments: [
        "https://good.example.evil.example", "https://evil.example", "http://good.example", "https://good.example:444",
        "https://GOOD.example", "null", "", "*", "https://good.example/",
    ])
    func onlyTheExactOriginCounts(_ origin: String) async throws {
        try await Self.withPages { service in
            for method in ["GET", "OPTIONS"] {
                let answer = try await service.ask(
                    method,
                    "/downloads",
                    fields: [("Origin", origin), ("Access-Control-Request-Method", "GET")]
                )

                #expect(answer["access-control-allow-origin"] == nil)
                #expect(answer["vary"]?.contains("Origin") == true)
            }
        }
    }

    @Test(arguments: ["https://any.example", "null"])
    func aStarLetsEveryPageAskWithoutCredentials(_ origin: String) async throws {
        try await Self.withPages(["*"]) { service in
            let preflight = try await service.ask(
                "OPTIONS",
                "/downloads",
                fields: [("Origin", origin), ("Access-Control-Request-Method", "POST"), ("Authorization", "-")]
            )
            let answer = try await service.ask("GET", "/downloads", fields: [("Origin", origin)])

            #expect(preflight["access-control-allow-origin"] == "*")
            #expect(preflight["access-control-allow-headers"]?.contains("authorization") == true)
            #expect(answer["access-control-allow-origin"] == "*")
            #expect(answer["access-control-expose-headers"]?.contains("location") == true)
            #expect(answer["vary"] == nil)
        }
    }

    @Test func unlessItIsSetNoPageMayAsk() async throws {
        try await Self.withPages([]) { service in
            let answer = try await service.ask("GET", "/downloads", fields: [("Origin", Self.page)])

            #expect(answer["access-control-allow-origin"] == nil)
            #expect(answer["vary"] == nil)
        }
    }
}
