import API
import Service
import ServiceSupport
import TestSupport
import Testing

/// `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07).
@Suite(.hangLimit)
struct IdempotencyTests {
    private static let body = #"{"url":"http://a.example/f"}"#

    private static func withIdle(_ body: (TestService) async throws -> Void) async throws {
        try await withService(.with { $0.runsScheduler = false }) { try await body($0) }
    }

    private static func key(_ text: String) -> [(String, String)] { [("Idempotency-Key", text)] }

    @Test func theSameRequestIsAnsweredAsTheFirstTime() async throws {
        try await Self.withIdle { service in
            let first = try await service.request("POST", "/downloads", Self.body, fields: Self.key("\"k\""))
            let path = try #require(first["location"])
            _ = try await service.request("PATCH", path, #"{"action":"pause"}"#)
            let second = try await service.request("POST", "/downloads", Self.body, fields: Self.key("k"))

            #expect(first["idempotency-replayed"] == nil)
            #expect(second.status == 201)
            #expect(second["idempotency-replayed"] == "true")
            #expect(second["location"] == path)
            #expect(second["etag"] == first["etag"])
            #expect(second.body == first.body)
            #expect(try await service.request("GET", "/downloads").json["items"]?.items.count == 1)
        }
    }

    @Test func theSameKeyWithAnotherRequestIsAMistake() async throws {
        try await Self.withIdle { service in
            _ = try await service.request("POST", "/downloads", Self.body, fields: Self.key("k"))
            let response = try await service.request("POST", "/downloads", Self.body + " ", fields: Self.key("k"))

            #expect(response.status == 422)
            #expect(response.problem == "idempotency-key-reused")
        }
    }

    @Test func ofManyAtOnceOneMakesTheDownload() async throws {
        try await Self.withIdle { service in
            let responses = try await withThrowingTaskGroup(of: ReceivedResponse.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await service.send("POST", "/downloads", Self.body, fields: Self.key("k")) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(responses.allSatisfy { $0.status == 201 })
            #expect(responses.count { $0["idempotency-replayed"] == nil } == 1)
            #expect(Set(responses.map(\.body)).count == 1)
        }
    }

    @Test func aChangeIsMadeOnce() async throws {
        try await Self.withIdle { service in
            let path = "/downloads/\(try await service.add("http://a.example/f"))"
            let pause = #"{"action":"pause"}"#
            let first = try await service.request("PATCH", path, pause, fields: Self.key("k"))
            _ = try await service.request("PATCH", path, #"{"action":"resume"}"#)
            let second = try await service.request("PATCH", path, pause, fields: Self.key("k"))

            #expect(second.status == 200)
            #expect(second.body == first.body)
            #expect(second["idempotency-replayed"] == "true")
            #expect(try await service.request("GET", path).json["state"]?.text == "queued")
        }
    }

    @Test func aRepeatedChangeIsAnsweredThoughItsTagIsOldByNow() async throws {
        try await Self.withIdle { service in
            let path = "/downloads/\(try await service.add("http://a.example/f"))"
            let tag = try #require(try await service.request("GET", path)["etag"])
            let fields = Self.key("k") + [("If-Match", tag)]
            let first = try await service.request("PATCH", path, #"{"action":"pause"}"#, fields: fields)
            let second = try await service.request("PATCH", path, #"{"action":"pause"}"#, fields: fields)

            #expect(first.status == 200)
            #expect(second.status == 200)
            #expect(second.body == first.body)
        }
    }

    @Test func aRepeatedRequestIsAnsweredThoughItsDeadlineHasPassed() async throws {
        try await Self.withIdle { service in
            let body = #"{"url":"http://a.example/f","deadline_at":"2026-01-01T00:30:00Z"}"#
            let first = try await service.request("POST", "/downloads", body, fields: Self.key("k"))
            service.time.advance(by: .seconds(3600))
            let second = try await service.request("POST", "/downloads", body, fields: Self.key("k"))

            #expect(first.status == 201)
            #expect(second.status == 201)
            #expect(second.body == first.body)
        }
    }

    @Test func aRepeatedRequestIsAnsweredThoughTheServiceStops() async throws {
        try await Self.withIdle { service in
            let first = try await service.request("POST", "/downloads", Self.body, fields: Self.key("k"))
            service.running.beginShutdown()
            let second = try await service.request("POST", "/downloads", Self.body, fields: Self.key("k"))

            #expect(second.status == 201)
            #expect(second.body == first.body)
        }
    }

    @Test func aRepeatedChangeIsAnsweredThoughTheDownloadIsGone() async throws {
        try await Self.withIdle { service in
            let path = "/downloads/\(try await service.add("http://a.example/f"))"
            let first = try await service.request("PATCH", path, #"{"max_attempts":2}"#, fields: Self.key("k"))
            _ = try await service.request("DELETE", "\(path)?force=true")
            let second = try await service.request("PATCH", path, #"{"max_attempts":2}"#, fields: Self.key("k"))

            #expect(second.status == 200)
            #expect(second.body == first.body)
            #expect(second["accept-patch"] == first["accept-patch"])
            #expect(second["accept-patch"] != nil)
        }
    }

    /// The answer names a download; a repetition must not name another, or make one.
    @Test func aDownloadThatWasFoundIsFoundAgain() async throws {
        try await Self.withIdle { service in
            let body = #"{"url":"http://a.example/f","dedupe_key":"d"}"#
            let id = try await service.add("http://a.example/f", #","dedupe_key":"d""#)
            let first = try await service.request("POST", "/downloads", body, fields: Self.key("k"))
            _ = try await service.request("DELETE", "/downloads/\(id)?force=true")
            let second = try await service.request("POST", "/downloads", body, fields: Self.key("k"))

            #expect(first.status == 200)
            #expect(second.status == 200)
            #expect(second["idempotency-replayed"] == "true")
            #expect(second["location"] == "/downloads/\(id)")
            #expect(second["etag"] == first["etag"])
            #expect(second.body == first.body)
            #expect(try await service.request("GET", "/downloads").json["items"]?.items == [])
        }
    }

    @Test func aRefusalIsNotKept() async throws {
        try await Self.withIdle { service in
            let refused = try await service.request("POST", "/downloads", "{}", fields: Self.key("k"))
            let taken = try await service.request("POST", "/downloads", Self.body, fields: Self.key("k"))

            #expect(refused.status == 400)
            #expect(taken.status == 201)
        }
    }

    @Test(
        arguments: [
            ("\"\"", "malformed"), ("a b", "malformed"), ("a\"b", "malformed"), ("a\\b", "malformed"),
            ("\"a\\\"", "malformed"), ("é", "malformed"), (String(repeating: "k", count: 256), "too_long"),
        ] as [(String, String)]
    )
    func aKeyOfAnotherFormIsRefused(_ text: String, as code: String) async throws {
        try await Self.withIdle { service in
            let response = try await service.request("POST", "/downloads", Self.body, fields: Self.key(text))

            #expect(response.status == 400)
            #expect(response.problem == "idempotency-key-invalid")
            let mistakes = try #require(try response.json["errors"]?.items)
            #expect(mistakes.map { $0["header"]?.text } == ["Idempotency-Key"])
            #expect(mistakes.map { $0["code"]?.text } == [code])
        }
    }
}
