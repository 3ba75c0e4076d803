import API
import ServiceSupport
import TestSupport
import Testing

/// `GET /downloads` and `GET /sessions`.
@Suite(.timeLimit(.minutes(5)))
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
