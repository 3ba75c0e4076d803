import API
import Core
import Service
import ServiceSupport
import TestSupport
import Testing
import Transfer

/// `GET /downloads/{id}/segments`, and the same in a stream.
@Suite(.hangLimit)
struct SegmentTests {
    private static let size: Int64 = 64 << 20

    private static func segments(_ service: TestService, _ id: String) async throws -> [JSONValue] {
        let response = try await service.request("GET", "/downloads/\(id)/segments")
        #expect(response.status == 200)
        return try response.json["items"]?.items ?? []
    }

    private static func expectCover(_ segments: [JSONValue], _ size: Int64) {
        #expect((1...64).contains(segments.count))
        #expect(segments.first?["first_byte"]?.integer == 0)
        #expect(segments.last?["last_byte"]?.integer == size - 1)
        for (former, latter) in zip(segments, segments.dropFirst()) {
            #expect(former["last_byte"]?.integer.map { $0 + 1 } == latter["first_byte"]?.integer)
        }
    }

    private static func received(_ segments: [JSONValue]) -> Int64 {
        segments.reduce(0) { $0 + ($1["received_bytes"]?.integer ?? 0) }
    }

    private static func states(_ segments: [JSONValue]) -> [String?] { segments.map { $0["state"]?.text } }

    /// A download over three connections that comes to no end while the test lasts.
    private static func dripping(
        _ body: (TestService, String, _ segments: [JSONValue], _ authority: String) async throws -> Void
    ) async throws {
        let drip = Behaviour.pace(.drip(byteCount: 1 << 10, every: .milliseconds(50)))
        let origin = Origin(Content(size: size), script: [drip])
        defer { origin.stop() }
        let authority = "127.0.0.1:\(origin.port)"
        let options = TestService.Options.with { options in
            options.engine.connections = 3
            options.engine.connectionsPerHost = 3
            options.engine.ramp = .unmeasured
        }
        try await withService(options) { service in
            let id = try await service.add(origin.url("/a"))
            let segments = try await service.advanceClock(by: .milliseconds(10)) {
                let segments = try await Self.segments(service, id)
                let open = segments.count { $0["authority"]?.text == authority }
                return open == 3 && Self.received(segments) > 0 ? segments : nil
            }
            try await body(service, id, segments, authority)
        }
    }

    @Test func eachConnectionHasASegment() async throws {
        try await Self.dripping { _, _, segments, _ in
            Self.expectCover(segments, Self.size)
            let running = segments.filter { $0["state"]?.text == "running" }
            #expect(running.count == 3)
            for segment in running {
                let first = segment["first_byte"]?.integer ?? 0
                let length = (segment["last_byte"]?.integer ?? 0) - first + 1
                #expect((0..<length).contains(segment["received_bytes"]?.integer ?? -1))
                #expect(segment["bytes_per_second"]?.integer != nil)
            }
        }
    }

    @Test func aPausedDownloadShowsWhatIsStored() async throws {
        try await Self.dripping { service, id, _, _ in
            try await service.act("pause", on: id)
            try await poll("no worker", because: .counter) { service.running.count == 0 }

            let segments = try await Self.segments(service, id)

            Self.expectCover(segments, Self.size)
            #expect(Set(Self.states(segments)) == ["received", "waiting"])
            #expect(Self.received(segments) > 0)
            #expect(try await service.record(id).progress.durableBytes == Self.received(segments))
            try await service.act("cancel", on: id)
            let cancelled = try await Self.segments(service, id)
            #expect(Self.states(cancelled) == ["waiting"])
            #expect(Self.received(cancelled) == 0)
        }
    }

    @Test func aStreamReportsThemToThoseThatAskForThem() async throws {
        try await Self.dripping { service, id, _, _ in
            let path = "/downloads/\(id)/events?snapshot=false"
            let (asking, other) = (try await service.listen("\(path)&view=segments"), try await service.listen(path))
            let seen = Signal()
            let reading = Task {
                var blocks: [EventReader.Block?] = []
                for reader in [asking, other] {
                    blocks.append(await reader.blocks { $0.event == "progress" }.last)
                    seen.fire()
                }
                return blocks
            }
            try await service.advanceClock(by: .milliseconds(250)) { seen.count == 2 ? () : nil }

            let data = try await reading.value.map { try JSONValue(parsing: Array(($0?.data ?? "").utf8)) }
            let segments = try #require(data[0]["segments"]?.items)
            Self.expectCover(segments, Self.size)
            #expect(Self.received(segments) > 0)
            #expect(data[1]["segments"] == nil)
            for data in data {
                #expect(data["id"]?.text == id)
                #expect(Contract.shared.violations(data, schema: "StreamProgress") == [])
            }
        }
    }

    @Test func aSmallBodyIsOneSegment() async throws {
        let rest = Signal()
        let origin = Origin(Content(size: 1000), script: [.pace(.stall(after: 100, until: rest))])
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/a"))
            try await service.wait(id, receives: 100)

            let segment = try #require(try await Self.segments(service, id).first)

            #expect(segment["last_byte"]?.integer == 999)
            #expect(segment["received_bytes"]?.integer == 100)
            #expect(segment["state"]?.text == "running")
            rest.fire()
            try await service.wait(id, .completed)
            let whole = try await Self.segments(service, id)
            Self.expectCover(whole, 1000)
            #expect(Self.states(whole) == ["received"])
            #expect(Self.received(whole) == 1000)
        }
    }

    @Test func aFileOfUnknownSizeHasAnOpenEnd() async throws {
        let rest = Signal()
        let chunked = Behaviour {
            $0.framing = .chunked
            $0.pace = .stall(after: 100_000, until: rest)
        }
        let origin = Origin(Content(size: 200_000), script: [chunked])
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/a"))
            try await service.wait(id, receives: 100_000)

            let segments = try await Self.segments(service, id)

            #expect(segments.count == 1)
            #expect(segments.first?["last_byte"] == .null)
            #expect(segments.first?["received_bytes"]?.integer == 100_000)
            #expect(Self.states(segments) == ["running"])
            rest.fire()
            try await service.wait(id, .completed)
            Self.expectCover(try await Self.segments(service, id), 200_000)
        }
    }

    @Test func aQueuedDownloadHasReceivedNothing() async throws {
        try await withIdleService { service in
            let id = try await service.add("http://a.example/")
            let path = "/downloads/\(id)/segments"
            let response = try await service.request("GET", path)
            let items = try response.json["items"]?.items ?? []

            #expect(Self.states(items) == ["waiting"])
            #expect(items.first?["last_byte"] == .null)
            let etag = try #require(response["etag"])
            let head = try await service.request("HEAD", path)
            #expect(head.status == 200 && head.body.isEmpty && head["etag"] == etag)
            #expect(try await service.request("GET", path, fields: [("If-None-Match", etag)]).status == 304)
        }
    }

    @Test func segmentsOfAnUnknownDownloadAreNotFound() async throws {
        try await withIdleService { service in
            let id = try await service.add("http://a.example/")
            let missing = try await service.request("GET", "/downloads/dl_01kdyak3seeejr3cp3tkjzc1rr/segments")
            let parameter = try await service.request("GET", "/downloads/\(id)/segments?limit=3")
            let view = try await service.request("GET", "/events?view=segment")

            #expect(missing.status == 404 && missing.problem == "not-found")
            #expect(parameter.status == 400 && parameter.problem == "invalid-request")
            #expect(view.status == 400 && view.problem == "invalid-filter")
            #expect(try view.json["detail"]?.text?.contains("segments") == true)
            #expect(try await service.request("GET", "/events?view=segments").status == 200)
        }
    }
}
