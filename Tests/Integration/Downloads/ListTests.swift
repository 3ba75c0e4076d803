import API
import Core
import ServiceSupport
import TestSupport
import Testing

/// `GET /downloads` and `GET /sessions`.
@Suite(.hangLimit)
struct ListTests {
    private static func withDownloads(
        _ count: Int,
        _ body: (TestService, [String]) async throws -> Void
    ) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            var ids: [String] = []
            for index in 0..<count {
                // Ids of one millisecond have no order.
                service.time.advance(by: .milliseconds(1))
                let session = index.isMultiple(of: 2) ? "even" : "odd"
                ids.append(try await service.add("http://a.example/\(index)", #","session":"\#(session)""#))
            }
            try await body(service, ids)
        }
    }

    private static func ids(_ response: ReceivedResponse) throws -> [String] {
        try response.json["items"]?.items.compactMap { $0["id"]?.text } ?? []
    }

    @Test func theNewestComeFirst() async throws {
        try await Self.withDownloads(3) { service, ids in
            let response = try await service.request("GET", "/downloads")

            #expect(try Self.ids(response) == ids.reversed())
            #expect(try response.json["next_cursor"] == .null)
            #expect(response["link"] == nil)
        }
    }

    @Test func aWalkMissesNothingThoughDownloadsAreAddedAndDeleted() async throws {
        try await Self.withDownloads(11) { service, ids in
            var seen: [String] = []
            var target: String? = "/downloads?limit=3"
            while let page = target {
                let response = try await service.request("GET", page)
                seen += try Self.ids(response)
                target = try response.json["links"]?["next"]?.text
                #expect(response["link"] == target.map { "<\($0)>; rel=\"next\"" })
                service.time.advance(by: .milliseconds(1))
                try await service.add("http://a.example/new")
                _ = try await service.request("DELETE", "/downloads/\(seen[0])?force=true")
            }

            #expect(seen == ids.reversed())
        }
    }

    @Test func filtersNarrowTheList() async throws {
        try await Self.withDownloads(4) { service, ids in
            try await service.act("pause", on: ids[0])
            try await service.act("cancel", on: ids[1])

            #expect(try Self.ids(try await service.request("GET", "/downloads?state=paused")) == [ids[0]])
            #expect(
                try Self.ids(try await service.request("GET", "/downloads?state=paused,cancelled")) == [ids[1], ids[0]]
            )
            #expect(try Self.ids(try await service.request("GET", "/downloads?session=odd")) == [ids[3], ids[1]])
            #expect(try Self.ids(try await service.request("GET", "/downloads?session=odd&state=queued")) == [ids[3]])
            #expect(try Self.ids(try await service.request("GET", "/downloads?session=none")) == [])
        }
    }

    @Test func aCursorBelongsToItsFilters() async throws {
        try await Self.withDownloads(3) { service, _ in
            let page = try await service.request("GET", "/downloads?limit=1&state=queued,paused")
            let cursor = try #require(try page.json["next_cursor"]?.text)

            for query in [
                "cursor=\(cursor)", "state=queued&cursor=\(cursor)", "cursor=\(cursor)x", "cursor=", "cursor=x",
            ] {
                let response = try await service.request("GET", "/downloads?\(query)")
                #expect(response.status == 400, "\(query)")
                #expect(response.problem == "invalid-cursor", "\(query)")
            }
            #expect(try await service.request("GET", "/sessions?cursor=\(cursor)").problem == "invalid-cursor")
            let same = try await service.request("GET", "/downloads?limit=2&state=paused,queued&cursor=\(cursor)")
            #expect(same.status == 200)
        }
    }

    @Test(arguments: [
        "limit=0", "limit=-1", "limit=x", "limit=", "limit=1.5", "limit=1&limit=2", "state=", "state=lost",
        "state=queued,,paused", "state=queued,queued", "session=", "session=a%20b", "sort=x", "limit=%ff", "Limit=1",
    ])
    func aWrongParameterIsRefusedByName(_ query: String) async throws {
        try await Self.withDownloads(0) { service, _ in
            let response = try await service.request("GET", "/downloads?\(query)")
            let name = query.prefix { $0 != "=" }

            #expect(response.status == 400)
            #expect(response.problem == "invalid-filter")
            #expect(try response.json["errors"]?.items.first?["parameter"]?.text == String(name))
        }
    }

    @Test(arguments: [
        ("state=queued,queued", "state"), ("label=env", "label"), ("label=:x", "label"),
        ("label=a:1&label=a:1", "label"), ("host=", "host"), ("host=a:0", "host"), ("host=http://a", "host"),
        ("error_code=lost", "error_code"), ("created_after=yesterday", "created_after"),
        ("finished_before=1", "finished_before"), ("q=", "q"), ("q=a%01", "q"), ("id=dl_x", "id"), ("id=", "id"),
        ("sort=", "sort"), ("sort=nane", "sort"), ("sort=--name", "sort"), ("count=1", "count"), ("fields=", "fields"),
        ("fields=name,stat", "fields"), ("view=short", "view"), ("view=summary&fields=name", "fields"),
        ("sessions=a", "sessions"),
    ])
    func aWrongFilterIsRefusedByName(_ query: String, name: String) async throws {
        try await Self.withDownloads(0) { service, _ in
            let response = try await service.request("GET", "/downloads?\(query)")

            #expect(response.problem == "invalid-filter")
            #expect(try response.json["errors"]?.items.first?["parameter"]?.text == name)
        }
    }

    /// Some generated clients send the defaults of all parameters.
    @Test func theDefaultViewBesideFieldsChangesNothing() async throws {
        try await Self.withDownloads(1) { service, _ in
            let list = try await service.request(
                "GET",
                "/downloads?view=full&fields=id,state&sort=-created_at&count=false"
            )
            let item = try #require(try list.json["items"]?.items.first)
            let id = item["id"]?.text ?? ""
            let one = try await service.request("GET", "/downloads/\(id)?fields=state&view=full")

            #expect(list.status == 200 && one.status == 200)
            #expect(item["state"]?.text != nil && item["name"] == nil)
            #expect(try one.json["state"]?.text != nil && one.json["id"] == nil)
        }
    }

    @Test(arguments: [
        ("sort=nane", #"Did you mean "name"?"#), ("state=qeued", #"Did you mean "queued"?"#),
        ("fields=filname", #"Did you mean "filename"?"#), ("sesion=a", #"Did you mean "session"?"#),
        ("error_code=time_out", #"Did you mean "timeout"?"#),
    ])
    func aMisspelledWordIsRefusedWithTheNearestOne(_ query: String, hint: String) async throws {
        try await Self.withDownloads(0) { service, _ in
            let detail = try await service.request("GET", "/downloads?\(query)").json["detail"]?.text

            #expect(detail?.hasSuffix(hint) == true, "\(detail ?? "")")
        }
    }

    @Test func aHundredIDsAreTheMost() async throws {
        try await Self.withDownloads(1) { service, ids in
            let id = ids[0]
            let others = (0..<99).map { DownloadID(at: Timestamp(milliseconds: 0), number: $0).text }
            let most = ([id] + others).joined(separator: ",")
            let more = DownloadID(at: Timestamp(milliseconds: 0), number: 99)
            let found = try await service.request("GET", "/downloads?id=\(most)")
            let refused = try await service.request("GET", "/downloads?id=\(most),\(more)")

            #expect(try Self.ids(found) == [id])
            #expect(refused.problem == "invalid-filter")
        }
    }

    @Test func eachFilterNarrowsTheList() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let url = "http://a.example/Dir/One.iso?sig=2"
            let first = try await service.add(url, #","labels":{"env":"prod","a":"b:c"}"#)
            let between = service.time.now
            service.time.advance(by: .seconds(1))
            let second = try await service.add("http://b.example:8080/two", #","labels":{"env":"prod"}"#)
            try await service.act("cancel", on: second)
            let instant = Instant.text(between)

            for (query, expected) in [
                ("label=env:prod", [second, first]), ("label=env:prod&label=a:b:c", [first]), ("label=env:test", []),
                ("host=a.example", [first]), ("host=B.example", [second]), ("host=b.example:80", []),
                ("host=b.example:8080", [second]), ("q=one.ISO", [first]), ("q=example/dir", [first]), ("q=sig", []),
                ("created_after=\(instant)", [second]), ("finished_after=\(instant)", [second]),
                ("finished_before=\(instant)", []), ("id=\(first)", [first]), ("error_code=timeout", []),
                ("sort=name", [first, second]), ("sort=created_at", [first, second]),
                ("sort=-finished_at", [second, first]),
            ] {
                let response = try await service.request("GET", "/downloads?count=true&\(query)")
                #expect(try Self.ids(response) == expected, "\(query)")
                #expect(try response.json["total"]?.integer == Int64(expected.count), "\(query)")
                #expect(try response.json["total_is_lower_bound"]?.bool == false)
            }
        }
    }

    @Test(arguments: ["created_at", "-finished_at", "priority", "-size", "name"])
    func theNextPageKeepsFilterOrderAndFields(_ order: String) async throws {
        try await Self.withDownloads(5) { service, ids in
            var seen: [String] = []
            var target: String? = "/downloads?limit=2&sort=\(order)&q=a.example%2F&count=true&view=summary"
            while let page = target {
                let response = try await service.request("GET", page)
                seen += try Self.ids(response)
                #expect(try response.json["total"]?.integer == 5)
                #expect(try response.json["items"]?.items.allSatisfy { $0["url"] == nil && $0["name"] != nil } == true)
                target = try response.json["links"]?["next"]?.text
            }

            #expect(Set(seen) == Set(ids))
            #expect(seen.count == ids.count)
        }
    }

    @Test func aCursorBelongsToItsOrder() async throws {
        try await Self.withDownloads(3) { service, _ in
            let page = try await service.request("GET", "/downloads?limit=1&sort=name&label=a:1&q=b&host=c")
            #expect(try page.json["next_cursor"] == .null)
            let cursor = try #require(
                try await service.request("GET", "/downloads?limit=1&sort=name").json["next_cursor"]?.text
            )

            for query in [
                "", "sort=-name&", "sort=size&", "sort=name&q=a&", "sort=name&label=a:1&", "sort=name&host=a&",
            ] {
                let response = try await service.request("GET", "/downloads?\(query)cursor=\(cursor)")
                #expect(response.problem == "invalid-cursor", "\(query)")
            }
            let same = try await service.request("GET", "/downloads?sort=name&fields=name&cursor=\(cursor)")
            #expect(same.status == 200)
        }
    }

    @Test func fieldsAreThoseThatWereAskedFor() async throws {
        try await Self.withDownloads(1) { service, ids in
            let fields = "fields=progress,name,allowed_actions"
            let listed = try await service.request("GET", "/downloads?\(fields)").json["items"]?.items.first
            let shown = try await service.request("GET", "/downloads/\(ids[0])?\(fields)").json
            let full = try await service.request("GET", "/downloads/\(ids[0])").json

            for partial in [listed, shown] {
                #expect(partial?.names == ["allowed_actions", "name", "progress"])
                for name in partial?.names ?? [] { #expect(partial?[name] == full[name], "\(name)") }
            }
            #expect(try await service.request("GET", "/downloads/\(ids[0])?fields=x").problem == "invalid-request")
        }
    }

    @Test func aPageOfSummariesIsShort() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            for index in 0..<50 { try await service.add("http://a.example/file-\(index).bin", #","session":"bench""#) }
            let page = try await service.request("GET", "/downloads?view=summary")

            #expect(try page.json["items"]?.items.count == 50)
            #expect(page.body.count < 20_000)
        }
    }

    @Test func aLargeLimitIsCutToTheMost() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            for _ in 0..<201 { try await service.add("http://a.example/") }

            for limit in ["200", "201", "1000000000", "99999999999999999999"] {
                #expect(try Self.ids(try await service.request("GET", "/downloads?limit=\(limit)")).count == 200)
            }
            #expect(try Self.ids(try await service.request("GET", "/downloads")).count == 50)
        }
    }

    @Test func sessionsAreListedByName() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            for name in ["c", "a", "e", "b:1", "d"] {
                try await service.add("http://a.example/", #","session":"\#(name)""#)
            }
            var names: [String] = []
            var target: String? = "/sessions?limit=2"
            while let page = target {
                let response = try await service.request("GET", page)
                names += try response.json["items"]?.items.compactMap { $0["name"]?.text } ?? []
                target = try response.json["links"]?["next"]?.text
            }

            #expect(names == ["a", "b:1", "c", "d", "e"])
            for path in ["/sessions/b:1", "/sessions/b%3A1", "/sessions/b%3a1"] {
                #expect(try await service.request("GET", path).json["open_count"]?.integer == 1)
            }
            #expect(try await service.request("GET", "/sessions/none").status == 404)
            #expect(try await service.request("GET", "/sessions/a?x=1").problem == "invalid-request")
            #expect(try await service.request("GET", "/sessions?state=queued").problem == "invalid-filter")
        }
    }
}
