import API
import Core
import Service
import ServiceSupport
import TestSupport
import Testing
import Transfer
import TransferRules

/// `GET /downloads/{id}/attempts`.
@Suite(.hangLimit)
struct AttemptTests {
    /// Brings a download to its end, and shows its requests in the order they were made.
    private static func requests(
        _ script: [Behaviour],
        size: Int64 = 1000,
        members: String = "",
        _ change: (inout TestService.Options) -> Void = { _ in },
        _ check: (TestService, String, [JSONValue]) async throws -> Void
    ) async throws {
        let origin = Origin(Content(size: size), script: script)
        defer { origin.stop() }
        let options = TestService.Options.with { options in
            options.engine.connections = 1
            change(&options)
        }
        try await withService(options) { service in
            let id = try await service.add(origin.url("/a?sig=secret"), members)
            try await service.advanceClock(by: .seconds(5), until: id, .completed, .failed)
            let page = try await service.request("GET", "/downloads/\(id)/attempts").json
            try await check(service, id, page["items"]?.items.reversed() ?? [])
        }
    }

    private static func words(_ requests: [JSONValue], _ member: String) -> [String?] {
        requests.map { $0[member]?.text }
    }

    @Test func aFileThatCameAtOnceHasNone() async throws {
        try await Self.requests([.good]) { _, _, requests in
            #expect(requests.isEmpty)
        }
    }

    @Test func aRefusalIsThereWithWhatFollowed() async throws {
        try await Self.requests([.unavailable(retryAfter: "120"), .good]) { _, _, requests in
            #expect(Self.words(requests, "decision") == ["retry", "accept"])
            #expect(Self.words(requests, "reason") == ["http_server_error", nil])
            #expect(requests.map { $0["http_status"]?.integer } == [503, 200])
            #expect(requests.map { $0["number"]?.integer } == [1, 2])
            #expect(requests.map { $0["attempt"]?.integer } == [1, 2])
            #expect(requests.map { $0["run"]?.integer } == [1, 1])
            #expect(requests.map { $0["received_bytes"]?.integer } == [0, 1000])
            #expect(requests.allSatisfy { $0["duration_ms"]?.integer != nil && $0["range"] == .null })
            #expect(requests[0]["started_at"]?.text?.hasPrefix("2026-01-01T00:") == true)
            #expect(requests[1]["etag"]?.text == Content(size: 1000).etag)
            #expect(requests[1]["url"]?.text?.hasSuffix("/a?REDACTED") == true)
            #expect(requests[1]["remote_address"]?.text == "127.0.0.1")
            #expect(requests[1]["http_version"]?.text == "1.1")
        }
    }

    @Test func aRedirectIsPartOfItsRequest() async throws {
        try await Self.requests([.redirect(to: "/b?token=secret"), .good]) { _, _, requests in
            #expect(requests.count == 1)
            #expect(requests.first?["redirects"]?.integer == 1)
            #expect(requests.first?["url"]?.text?.hasSuffix("/b?REDACTED") == true)
            #expect(requests.first?["decision"]?.text == "accept")
            #expect(requests.first?["http_status"]?.integer == 200)
        }
    }

    @Test func anInterruptedOrShortBodyIsRequestedAgain() async throws {
        let script = [Behaviour.dropping(after: 100_000), .ranges(.shortened(to: 50_000)), .good]
        try await Self.requests(script, size: 300_000) { _, _, requests in
            #expect(Self.words(requests, "decision") == ["accept", "accept", "accept"])
            #expect(Self.words(requests, "error") == ["connect_failed", nil, nil])
            #expect(requests.first?["curl_code"]?.integer == 18)
            #expect(requests.map { $0["http_status"]?.integer } == [200, 206, 206])
            #expect(requests.map { $0["range"]?["first"]?.integer } == [nil, 100_000, 150_000])
            #expect(requests.map { $0["range"]?["last"]?.integer } == [nil, 299_999, 299_999])
            #expect(requests.map { $0["received_bytes"]?.integer } == [100_000, 50_000, 150_000])
            #expect(requests.last?["content_range"]?.text == "bytes 150000-299999/300000")
        }
    }

    @Test func aChangedFileSaysWhyItBeganAnew() async throws {
        try await Self.requests([.dropping(after: 100_000), .version(1)], size: 300_000) { _, _, requests in
            #expect(Self.words(requests, "decision") == ["accept", "restart"])
            #expect(Self.words(requests, "reason") == [nil, "etag_changed"])
            #expect(requests.last?["received_bytes"]?.integer == 300_000)
            #expect(requests.last?["range"]?["first"]?.integer == 100_000)
        }
    }

    @Test func anOriginThatIsNotThereHasNoAnswer() async throws {
        let nobody = ClosedPort()
        defer { withExtendedLifetime(nobody) {} }
        try await withService { service in
            let id = try await service.add(nobody.url("/a"))
            try await service.wait(id, .waiting)
            let page = try await service.request("GET", "/downloads/\(id)/attempts").json
            let request = try #require(page["items"]?.items.first)

            #expect(request["error"]?.text == "connect_failed")
            #expect(request["curl_code"]?.integer == 7)
            #expect(request["http_status"] == .null)
            #expect(request["decision"] == .null)
        }
    }

    @Test func eachOfSeveralConnectionsIsThere() async throws {
        let rest = Signal()
        let content = Content(size: 4 << 20)
        let origin = Origin(content, script: [.pace(.stall(after: 300_000, until: rest)), .good])
        defer { origin.stop() }
        let options = TestService.Options.with { options in
            options.engine.connections = 4
            options.engine.ramp.minimumShare = 64 << 10
            options.engine.ramp.worthwhileTime = .zero
            options.engine.ramp.shortestStep = .zero
            options.engine.ramp.leastSample = 0
        }
        try await withService(options) { service in
            let id = try await service.add(origin.url("/a"))
            try await service.advanceClock(by: .milliseconds(4)) { origin.requests.count >= 3 ? () : nil }
            rest.fire()
            try await service.advanceClock(by: .milliseconds(4), until: id, .completed, .failed)
            let page = try await service.request("GET", "/downloads/\(id)/attempts?limit=200").json
            let requests = page["items"]?.items ?? []

            // The clock goes faster than the origin: a request may be given up before it is answered.
            let decided = requests.filter { $0["decision"] != .null }

            #expect(decided.count >= 3)
            #expect(Set(requests.map { $0["number"]?.integer }).count == requests.count)
            #expect(decided.filter { $0["range"] == .null }.count == 1)
            #expect(requests.allSatisfy { $0["attempt"]?.integer == 1 })
            #expect(decided.allSatisfy { $0["decision"]?.text == "accept" })
        }
    }

    @Test func theyComeInPagesAndGoWithTheRecord() async throws {
        try await Self.requests([.page(404)]) {
            $0.jobs.notFoundRetries = 3
        } _: { service, id, requests in
            #expect(Self.words(requests, "decision") == ["retry", "retry", "retry", "retry"])
            #expect(requests.allSatisfy { $0["reason"]?.text == "file_not_found" })
            var numbers: [Int64?] = []
            var target: String? = "/downloads/\(id)/attempts?limit=3"
            while let page = target {
                let response = try await service.request("GET", page)
                numbers += try response.json["items"]?.items.map { $0["number"]?.integer } ?? []
                target = try response.json["links"]?["next"]?.text
                #expect(response["link"] == target.map { "<\($0)>; rel=\"next\"" })
            }
            #expect(numbers == [4, 3, 2, 1])

            _ = try await service.request("DELETE", "/downloads/\(id)")
            #expect(try await service.request("GET", "/downloads/\(id)/attempts").status == 404)
        }
    }

    @Test(arguments: ["?state=queued", "?limit=0", "?cursor=abc"])
    func unknownParametersOfTheAttemptListAreRefused(_ query: String) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let id = try await service.add("http://a.example/")
            let response = try await service.request("GET", "/downloads/\(id)/attempts" + query)

            #expect(response.status == 400)
        }
    }
}
