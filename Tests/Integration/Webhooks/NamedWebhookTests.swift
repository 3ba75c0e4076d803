import API
import ServiceSupport
import TestSupport
import Testing

/// `webhook_ids` of downloads, batches and sessions: shown, changed, refused.
@Suite(.hangLimit)
struct NamedWebhookTests {
    private static let unknown = "whk_01kdyak3seeejr3cp3tkjzc1rr"

    private static func with(_ body: (TestService) async throws -> Void) async throws {
        try await withService(.with { $0.runsScheduler = false }) { try await body($0) }
    }

    /// Makes a webhook, and returns its id.
    private static func make(_ service: TestService) async throws -> String {
        let response = try await service.request("POST", "/webhooks", #"{"url":"https://hook.example/"}"#)
        return try #require(try response.json["id"]?.text)
    }

    private static func batch(_ ids: String..., atomic: Bool = true) -> String {
        let items = ids.map { #"{"url":"https://a.example/","webhook_ids":["\#($0)"]}"# }.joined(separator: ",")
        return #"{"items":[\#(items)],"atomic":\#(atomic)}"#
    }

    @Test func downloadsShowTheWebhooksThatTheyName() async throws {
        try await Self.with { service in
            let hook = try await Self.make(service)
            let id = try await service.add("https://a.example/", #","webhook_ids":["\#(hook)"]"#)
            let plain = try await service.add("https://a.example/", #","webhook_ids":null"#)
            let batch = try await service.request("POST", "/downloads/batch", Self.batch(hook, hook))

            #expect(try await service.request("GET", "/downloads/\(id)").json["webhook_ids"]?.words == [hook])
            #expect(try await service.request("GET", "/downloads/\(plain)").json["webhook_ids"]?.words == [])
            let items = try #require(try batch.json["items"]?.items)
            #expect(batch.status == 201 && items.map { $0["webhook_ids"]?.words } == [[hook], [hook]])
        }
    }

    @Test func aSessionShowsTheWebhooksThatItNames() async throws {
        try await Self.with { service in
            let (first, second) = (try await Self.make(service), try await Self.make(service))
            let made = try await service.request("PUT", "/sessions/s", #"{"webhook_ids":["\#(first)"]}"#)
            let stored = try await service.request("PATCH", "/sessions/s", #"{"labels":{"a":"b"}}"#)
            let changed = try await service.request("PATCH", "/sessions/s", #"{"webhook_ids":["\#(second)"]}"#)
            let shown = try await service.request("GET", "/sessions/s")
            let cleared = try await service.request("PATCH", "/sessions/s", #"{"webhook_ids":null}"#)

            #expect(made.status == 201 && made["etag"] != changed["etag"])
            #expect(try made.json["webhook_ids"]?.words == [first] && stored.json["webhook_ids"]?.words == [first])
            #expect(try shown.json == changed.json && shown.json["webhook_ids"]?.words == [second])
            #expect(try cleared.json["webhook_ids"]?.words == [])
            #expect(try await service.request("PUT", "/sessions/s", "{}").json["webhook_ids"]?.words == [])
        }
    }

    // MARK: - Refused

    @Test(arguments: [
        (#"["\#(unknown)"]"#, 422, "/webhook_ids/0"), (#"["dl_01kdyak3seeejr3cp3tkjzc1rr"]"#, 400, "/webhook_ids/0"),
        (#"["nobody"]"#, 400, "/webhook_ids/0"), ("[5]", 400, "/webhook_ids/0"),
        (#""\#(unknown)""#, 400, "/webhook_ids"),
        (#"["\#(unknown)","\#(unknown)"]"#, 400, "/webhook_ids/1"),
        ("[\(Array(repeating: #""\#(unknown)""#, count: 17).joined(separator: ","))]", 400, "/webhook_ids"),
    ])
    func anUnknownWebhookIDIsRefused(_ ids: String, _ status: Int, _ pointer: String) async throws {
        try await Self.with { service in
            _ = try await service.request("PUT", "/sessions/s", "{}")
            let responses = [
                try await service.request("POST", "/downloads", #"{"url":"https://a.example/","webhook_ids":\#(ids)}"#),
                try await service.request("PUT", "/sessions/new", #"{"webhook_ids":\#(ids)}"#),
                try await service.request("PATCH", "/sessions/s", #"{"webhook_ids":\#(ids)}"#),
            ]

            for response in responses {
                #expect(response.status == status && response.pointers == [pointer], "\(response.text)")
            }
            #expect(try await service.request("GET", "/downloads").json["items"]?.items.isEmpty == true)
            #expect(try await service.request("GET", "/sessions/new").status == 404)
            #expect(try await service.request("GET", "/sessions/s").json["webhook_ids"]?.words == [])
        }
    }

    @Test func theItemOfABatchThatNamesNoWebhookIsNamed() async throws {
        try await Self.with { service in
            let hook = try await Self.make(service)
            let whole = try await service.request("POST", "/downloads/batch", Self.batch(hook, Self.unknown))
            let each = try await service.request(
                "POST",
                "/downloads/batch",
                Self.batch(hook, Self.unknown, atomic: false)
            )

            #expect(whole.status == 422 && whole.pointers == ["/items/1/webhook_ids/0"])
            #expect(
                try each.status == 207 && each.json["items"]?.items.map { $0["http_status"]?.integer } == [201, 422]
            )
        }
    }

    @Test func aWebhookThatIsDeletedIsNotNamedAnyMore() async throws {
        try await Self.with { service in
            let hook = try await Self.make(service)
            let body = #"{"url":"https://a.example/","webhook_ids":["\#(hook)"]}"#
            #expect(try await service.request("POST", "/downloads", body).status == 201)
            #expect(try await service.request("DELETE", "/webhooks/\(hook)").status == 204)

            #expect(try await service.request("POST", "/downloads", body).pointers == ["/webhook_ids/0"])
        }
    }

    @Test func theWebhooksOfAnOpenDownloadCanBeChanged() async throws {
        try await Self.with { service in
            let hook = try await Self.make(service)
            let id = try await service.add("https://a.example/")
            let response = try await service.request("PATCH", "/downloads/\(id)", #"{"webhook_ids":["\#(hook)"]}"#)

            #expect(response.status == 200)
        }
    }
}
