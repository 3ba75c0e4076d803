import API
import Service
import ServiceSupport
import TestSupport
import Testing

/// The filters of `GET /webhooks/{id}/deliveries`.
@Suite(.hangLimit)
struct DeliveryListTests {
    /// A service with a webhook that was told, a second apart, of a cancelled download, the end of its session, and a
    /// ping.
    private static func with(_ body: (TestService, _ list: String) async throws -> Void) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let made = try await service.request("POST", "/webhooks", #"{"url":"https://hook.example/"}"#)
            let path = try #require(made["location"])
            let id = try await service.add("https://a.example/", #","session":"s""#)
            try await service.act("cancel", on: id)
            service.time.advance(by: .seconds(1))
            #expect(try await service.request("POST", "\(path)/ping").status == 202)
            try await body(service, "\(path)/deliveries")
        }
    }

    private static func types(_ response: ReceivedResponse) throws -> [String?] {
        try #require(try response.json["items"]?.items).map { $0["event_type"]?.text }
    }

    @Test(arguments: [
        ("types=webhook.ping", ["webhook.ping"]), ("types=download.failed", []),
        ("types=download.*,webhook.ping", ["webhook.ping", "download.cancelled"]),
        ("types=*&created_before=2026-01-01T00:00:01Z", ["session.finished", "download.cancelled"]),
        ("created_after=2026-01-01T00:00:01Z", ["webhook.ping"]),
        ("created_after=2026-01-01T01:00:01%2B01:00", ["webhook.ping"]),
        ("created_after=2026-01-01T00:00:01Z&created_before=2026-01-01T00:00:01Z", []),
        ("created_after=2025-12-31T23:59:59.999Z&types=session.*", ["session.finished"]),
        ("state=succeeded&types=*", []),
    ])
    func aFilterLeavesTheRestOut(_ query: String, _ types: [String]) async throws {
        try await Self.with { service, list in
            let response = try await service.request("GET", "\(list)?\(query)")

            #expect(response.status == 200)
            // The first two happened in one millisecond, in which ids have no order.
            #expect(try Set(Self.types(response)) == Set(types))
        }
    }

    @Test func aPageKeepsItsFilters() async throws {
        try await Self.with { service, list in
            let query = "types=download.*,session.*&created_after=2026-01-01T01:00:00%2B01:00"
            let first = try await service.request("GET", "\(list)?\(query)&limit=1")
            let link = try #require(try first.json["links"]?["next"]?.text)
            let second = try await service.request("GET", link)
            let cursor = try #require(try first.json["next_cursor"]?.text)

            #expect(try Set(Self.types(first) + Self.types(second)) == ["download.cancelled", "session.finished"])
            #expect(try second.json["next_cursor"] == .null)
            let other = try await service.request("GET", "\(list)?types=webhook.ping&cursor=\(cursor)")
            #expect(other.status == 400 && other.problem == "invalid-cursor")
        }
    }

    @Test(arguments: [
        "types=", "types=download.done", "types=download.progress", "types=webhook.ping,",
        "created_after=", "created_after=yesterday", "created_after=1767225600",
        "created_before=2026-01-01", "created_before=2026-01-01T00:00:00",
        "state=open", "type=webhook.ping",
        "created_after=2026-01-01T00:00:00Z&created_after=2026-01-01T00:00:00Z",
    ])
    func invalidDeliveryFiltersAreRefused(_ query: String) async throws {
        try await Self.with { service, list in
            let response = try await service.request("GET", "\(list)?\(query)")

            #expect(response.status == 400 && response.problem == "invalid-filter")
            let name = try response.json["errors"]?.items.first?["parameter"]?.text
            #expect(name == query.split(separator: "=").first.map(String.init))
        }
    }
}

/// A webhook that asks for another format while something waits for it.
@Suite(.hangLimit)
struct FormatChangeTests {
    @Test(arguments: [
        ("standard", "cloudevents", "application/json"), ("cloudevents", "standard", "application/cloudevents+json"),
    ])
    func aPendingDeliveryKeepsItsFormat(_ format: String, _ next: String, _ type: String) async throws {
        let origin = Origin(Content(size: 100))
        let receiver = Origin(Content(size: 100), script: [.page(500), .page(204)])
        defer { for server in [origin, receiver] { server.stop() } }
        try await withService(.with { $0.jobs.webhooks.allowsHTTP = true }) { service in
            let body = #"{"url":"\#(receiver.url("/hook"))","format":"\#(format)"}"#
            let path = try #require(try await service.send("POST", "/webhooks", body)["location"])
            try await service.add(origin.url("/a.bin"))
            try await service.waitForDeliveries {
                try await service.send("GET", path).json["stats"]?["failed"]?.integer == 1 ? () : nil
            }
            #expect(try await service.send("PATCH", path, #"{"format":"\#(next)"}"#).status == 200)
            try await service.advanceClock(by: .seconds(1)) { receiver.requests.count == 2 ? () : nil }

            #expect(receiver.requests.map { $0.value(of: "content-type") } == [type, type])
            #expect(receiver.requests[0].body == receiver.requests[1].body)
        }
    }
}
