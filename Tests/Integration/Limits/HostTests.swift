import API
import Core
import ServiceSupport
import Store
import TestSupport
import Testing
import Transfer

/// `/hosts`, held against `openapi.yaml` with each answer.
@Suite(.hangLimit)
struct HostTests {
    @Test func aHostOfWhichNothingIsKnownIsNotThere() async throws {
        try await withService { service in
            let items = try await service.request("GET", "/hosts").json["items"]?.items
            let host = try await service.request("GET", "/hosts/example.com:443")

            #expect(items == [])
            #expect(host.status == 404)
            #expect(host.problem == "not-found")
        }
    }

    @Test func aHostShowsItsConnections() async throws {
        let gate = Signal()
        let origin = Origin(Content(size: 1000), script: [.pace(.stallBeforeHead(until: gate))])
        defer { origin.stop() }
        try await withService(.with { $0.engine.connectionsPerHost = 1 }) { service in
            let id = try await service.add(origin.url("/a"))
            await origin.requests(atLeast: 1)
            let host = try await service.request("GET", "/hosts/127.0.0.1%3A\(origin.port)").json

            #expect(host["authority"]?.text == "127.0.0.1:\(origin.port)")
            #expect(host["state"]?.text == "available")
            #expect(host["reason"]?.text == "connection_limit")
            #expect(host["open_connections"]?.integer == 1)
            #expect(host["connection_limit"]?.integer == 1)
            #expect(host["max_connection_limit"]?.integer == 1)
            #expect(host["held_until_at"] == .null)
            gate.fire()
            try await service.wait(id, .completed)
            #expect(try await service.request("GET", "/hosts/127.0.0.1:\(origin.port)").status == 404)
        }
    }

    @Test func aHostThatAskedToBeLeftAloneSaysUntilWhen() async throws {
        let origin = Origin(Content(size: 1000), script: [.unavailable(retryAfter: "120")])
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/a"))
            try await service.wait(id, .waiting)
            let host = try await service.request("GET", "/hosts/127.0.0.1:\(origin.port)").json

            #expect(host["state"]?.text == "throttled")
            #expect(host["reason"]?.text == "retry_after")
            #expect(host["held_until_at"]?.text == "2026-01-01T00:02:00.000Z")
            #expect(host["open_connections"]?.integer == 0)
        }
    }

    @Test(arguments: [429, 503])
    func theNextProcessKnowsTheDelayOfAHostWhoseDownloadContinuedWithAMirror(_ status: Int) async throws {
        let content = Content(size: 1000)
        let (origin, mirror) = (
            Origin(content, script: [.unavailable(status, retryAfter: "120")]), Origin(content)
        )
        defer { for origin in [origin, mirror] { origin.stop() } }
        let authority = "127.0.0.1:\(origin.port)"
        try await withService { service in
            let end = service.time.now + .seconds(120)
            let id = try await service.add(origin.url("/a"), #","mirrors":["\#(mirror.url("/a"))"]"#)
            try await service.wait(id, .completed)
            // The next process knows only what is recorded.
            let until = try await service.advanceClock(by: .milliseconds(10)) {
                try await service.store.hosts(now: service.time.now).first { $0.authority == authority }?.heldUntil
            }

            #expect(origin.requests.count == 1)
            #expect(until == end)
        }
    }

    @Test func hostsComeInPages() async throws {
        try await withService { service in
            for host in ["b:80", "a:80", "[::1]:443"] {
                try await service.store.flagHostRefusesRanges(host, until: service.time.now + .seconds(60))
            }
            try await service.store.deferClaims("a:80", until: service.time.now + .seconds(60))
            let first = try await service.request("GET", "/hosts?limit=2").json
            let second = try await service.request("GET", try #require(first["links"]?["next"]?.text)).json
            let items = (first["items"]?.items ?? []) + (second["items"]?.items ?? [])

            #expect(items.compactMap { $0["authority"]?.text } == ["[::1]:443", "a:80", "b:80"])
            #expect(items.compactMap { $0["state"]?.text } == ["available", "throttled", "available"])
            #expect(items.allSatisfy { $0["refuses_ranges_until_at"]?.text != nil })
            #expect(second["next_cursor"] == .null)
            let own = try #require(items.first?["links"]?["self"]?.text)
            let shown = try await service.request("GET", own).json
            #expect(shown["authority"]?.text == "[::1]:443")
        }
    }

    @Test(arguments: ["?state=open", "?limit=0"])
    func unknownParametersOfTheHostListAreRefused(_ query: String) async throws {
        try await withService { service in
            let response = try await service.request("GET", "/hosts" + query)
            #expect(response.problem == "invalid-filter")
        }
    }

    @Test func aCursorOfAnotherListIsRefused() async throws {
        try await withService { service in
            let response = try await service.request("GET", "/hosts?cursor=abc")
            #expect(response.problem == "invalid-cursor")
        }
    }
}
