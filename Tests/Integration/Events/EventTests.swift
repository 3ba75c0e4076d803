import API
import Core
import ServiceSupport
import Store
import TestSupport
import Testing

/// `GET /events` and `GET /downloads/{id}/events` in pages.
@Suite(.hangLimit)
struct EventTests {
    private static func numbers(_ response: ReceivedResponse) throws -> [Int64?] {
        try #require(try response.json["items"]).items.map { $0["seq"]?.integer }
    }

    @Test func anEventIsShownAsWebhooksReceiveIt() async throws {
        try await withIdleService { service in
            let id = try await service.add("http://a.example/a", #","metadata":{"a":"\n"}"#)

            let page = try await service.request("GET", "/events").json

            let event = try #require(page["items"]?.items.first)
            let stored = try await service.store.events(EventFilter(), after: nil, limit: 1).events[0]
            let body = try JSONValue(parsing: stored.body)
            #expect(event["seq"]?.integer == 1)
            #expect(event["id"]?.text == stored.id.text)
            for member in ["type", "timestamp", "data"] { #expect(event[member]?.canonical == body[member]?.canonical) }
            #expect(event["data"]?["id"]?.text == id)
            #expect(page["next_after_seq"]?.integer == 1)
            #expect(page["oldest_seq"]?.integer == 1)
        }
    }

    @Test func aReaderWhoGoesOnMissesNothing() async throws {
        try await withIdleService { service in
            for index in 0..<5 { try await service.add("http://a.example/\(index)") }
            var (seen, after): ([Int64?], Int64) = ([], 0)
            while seen.count < 5 {
                let page = try await service.request("GET", "/events?limit=2&after_seq=\(after)")
                seen += try Self.numbers(page)
                after = try #require(try page.json["next_after_seq"]?.integer)
            }
            let quiet = try await service.request("GET", "/events?after_seq=\(after)")

            #expect(seen == [1, 2, 3, 4, 5])
            #expect(try Self.numbers(quiet) == [])
            #expect(try quiet.json["next_after_seq"]?.integer == 5)
            #expect(try quiet.json["newest_seq"]?.integer == 5)
        }
    }

    @Test func filtersNarrowTheLog() async throws {
        try await withIdleService { service in
            let member = try await service.add("http://a.example/1", #","session":"s""#)
            let alone = try await service.add("http://a.example/2")
            try await service.act("cancel", on: member)
            let filters: [(String, [Int64?])] = [
                ("types=download.cancelled", [3]), ("types=session.*,download.cancelled", [3, 4]),
                ("types=*", [1, 2, 3, 4]),
                ("types=download.progress", []), ("session=s", [1, 3, 4]), ("session=other", []),
                ("download_id=\(alone)", [2]), ("session=s&types=download.*", [1, 3]),
            ]
            for (filter, numbers) in filters {
                #expect(try Self.numbers(try await service.request("GET", "/events?\(filter)")) == numbers, "\(filter)")
            }
            let own = try await service.request("GET", "/downloads/\(member)/events?types=download.created")
            #expect(try Self.numbers(own) == [1])
        }
    }

    @Test(arguments: [
        "after_seq=x", "after_seq=-1", "after_seq=", "limit=0", "types=", "types=download", "types=download.*,",
        "session=-", "download_id=1", "seq=1", "after_seq=99999999999999999999",
    ])
    func anotherFilterIsRefused(_ query: String) async throws {
        try await withIdleService { service in
            let response = try await service.request("GET", "/events?\(query)")

            #expect(response.status == 400)
            #expect(response.problem == "invalid-filter")
        }
    }

    @Test func aDownloadsOwnEventsTakeNoOtherSubject() async throws {
        try await withIdleService { service in
            let id = try await service.add("http://a.example/1")
            let missing = "dl_01kdyak3seeejr3cp3tkjzc1rr"

            #expect(try await service.request("GET", "/downloads/\(id)/events?session=s").problem == "invalid-filter")
            #expect(try await service.request("GET", "/downloads/\(missing)/events").problem == "not-found")
        }
    }

    @Test func readingBeforeOrAfterTheLogIsReported() async throws {
        try await withIdleService { service in
            for index in 0..<3 { try await service.add("http://a.example/\(index)") }
            _ = try await service.store.purge(PurgeAges(events: .zero), now: service.time.now)

            for after in [0, 1, 9] {
                let response = try await service.request("GET", "/events?after_seq=\(after)")
                #expect(response.status == 410)
                #expect(response.problem == "events-expired")
                #expect(try response.json["oldest_seq"]?.integer == 3)
            }
            #expect(try Self.numbers(try await service.request("GET", "/events?after_seq=2")) == [3])
            #expect(try Self.numbers(try await service.request("GET", "/events")) == [3])
        }
    }
}
