import API
import Core
import ServiceSupport
import Store
import TestSupport
import Testing

/// `GET /events` and `GET /downloads/{id}/events` as streams.
@Suite(.hangLimit)
struct EventStreamTests {
    private static func streaming(
        _ settings: StreamSettings = StreamSettings(),
        _ body: (TestService) async throws -> Void
    ) async throws {
        let options = TestService.Options.with {
            $0.runsScheduler = false
            $0.streams = settings
        }
        try await withService(options) { try await body($0) }
    }

    /// The beginning of a stream, up to the last part of its snapshot.
    private static func open(_ service: TestService, _ target: String = "/events") async throws -> EventReader {
        let reader = try await service.listen(target)
        _ = await reader.blocks { $0.event == "snapshot" && $0.id != nil }
        return reader
    }

    private static func ids(_ blocks: [EventReader.Block]) -> [String] { blocks.compactMap(\.id) }

    /// Turns the clock once all that sleep do: the janitor, the schedule of the rate, and whoever looks at the streams.
    private static func turn(_ service: TestService, by duration: Duration) async {
        await service.time.sleepers(atLeast: 3)
        service.time.advance(by: duration)
    }

    @Test func aNewStreamSendsASnapshotAndThenEvents() async throws {
        try await Self.streaming { service in
            let (open, ended) = (
                try await service.add("http://a.example/1"), try await service.add("http://a.example/2")
            )
            try await service.act("cancel", on: ended)
            let reader = try await service.listen("/events")

            #expect(await reader.status == 200)
            #expect(await reader.fields["content-type"] == "text/event-stream; charset=utf-8")
            #expect(await reader.fields["cache-control"] == "no-store")
            #expect(await reader.fields["x-accel-buffering"] == "no")
            #expect(await reader.next()?.retry == 3000)
            let snapshot = try #require(await reader.next())
            #expect(snapshot.event == "snapshot" && snapshot.id == "3")
            let shown = try JSONValue(parsing: Array((snapshot.data ?? "").utf8))
            #expect(shown["items"]?.items.map { $0["id"]?.text } == [open])
            #expect(Contract.shared.violations(shown, schema: "StreamSnapshot") == [])

            try await service.act("pause", on: open)
            let event = try #require(await reader.next())
            #expect(event.id == "4" && event.event == "download.paused")
            let page = try await service.request("GET", "/events?after_seq=3").json
            let data = try JSONValue(parsing: Array((event.data ?? "").utf8))
            #expect(data.canonical == page["items"]?.items.first?.canonical)
        }
    }

    @Test func aSnapshotOfManyComesInParts() async throws {
        try await Self.streaming { service in
            for index in 0..<70 { try await service.add("http://a.example/\(index)") }
            let reader = try await service.listen("/events")

            let parts = await reader.blocks { $0.id != nil }.filter { $0.event == "snapshot" }

            let items = try parts.flatMap { try JSONValue(parsing: Array(($0.data ?? "").utf8))["items"]?.items ?? [] }
            #expect(parts.count == 3)
            #expect(Set(items.compactMap { $0["id"]?.text }).count == 70)
            #expect(Self.ids(parts) == ["70"])
        }
    }

    @Test func aPartOfASnapshotIsNoLongerThanItMayBe() async throws {
        try await Self.streaming { service in
            let path = String(repeating: "x", count: 7000)
            for index in 0..<30 { try await service.add("http://a.example/\(index)/\(path)") }
            let reader = try await service.listen("/events")

            let parts = await reader.blocks { $0.id != nil }.compactMap { $0.event == "snapshot" ? $0.data : nil }

            let items = try parts.flatMap { try JSONValue(parsing: Array($0.utf8))["items"]?.items ?? [] }
            #expect(Set(items.compactMap { $0["id"]?.text }).count == 30 && items.count == 30)
            #expect(parts.count > 3)
            for part in parts { #expect(part.utf8.count < 80_000) }
        }
    }

    @Test func aReconnectingStreamMissesNoEvent() async throws {
        try await Self.streaming { service in
            for index in 0..<40 { try await service.add("http://a.example/\(index)") }
            let last = ("Last-Event-ID", "17")
            for (target, fields) in [
                ("/events", [last]), ("/events?last_event_id=17", []), ("/events?after_seq=17", []),
                ("/events?last_event_id=3", [last]),
            ] {
                let reader = try await service.listen(target, fields: fields)
                let blocks = await reader.blocks { $0.id == "40" }
                #expect(Self.ids(blocks) == (18...40).map(String.init), "\(target)")
                #expect(!blocks.contains { $0.event == "snapshot" })
            }
        }
    }

    @Test func aStreamBehindTheOldestEventBeginsWithASnapshot() async throws {
        try await Self.streaming { service in
            for index in 0..<3 { try await service.add("http://a.example/\(index)") }
            _ = try await service.store.purge(PurgeAges(events: .zero), now: service.time.now)
            for last in ["1", "99"] {
                let reader = try await service.listen("/events", fields: [("Last-Event-ID", last)])

                let blocks = await reader.blocks { $0.id != nil }

                try #require(blocks.map(\.event) == [nil, "reset", "snapshot"])
                #expect(blocks[1].data == #"{"oldest_seq":3}"#)
                #expect(blocks[2].id == "3")
            }
        }
    }

    @Test(arguments: ["x", "-1", "1.5", ""])
    func aLastEventThatIsNoNumberIsRefused(_ last: String) async throws {
        try await Self.streaming { service in
            let fields = [("Accept", "text/event-stream"), ("Last-Event-ID", last)]
            let response = try await service.request("GET", "/events", fields: fields)

            #expect(response.status == 400)
            #expect(try response.json["errors"]?.items.first?["header"]?.text == "Last-Event-ID")
        }
    }

    @Test func aStreamWithoutASnapshotCanBeContinued() async throws {
        try await Self.streaming { service in
            try await service.add("http://a.example/1")
            let reader = try await service.listen("/events?snapshot=false")

            #expect(await reader.next()?.retry == 3000)
            let position = try #require(await reader.next())
            #expect(position.id == "1" && position.data == nil)
        }
    }

    @Test func filtersNarrowAStream() async throws {
        try await Self.streaming { service in
            let other = try await service.add("http://a.example/0")
            let member = try await service.add("http://a.example/1", #","session":"s""#)
            let ofSession = try await Self.open(service, "/events?session=s")
            let ofTypes = try await Self.open(service, "/events?types=session.*,download.cancelled")
            for id in [other, member] { try await service.act("pause", on: id) }
            for id in [other, member] { try await service.act("cancel", on: id) }

            #expect(Self.ids(await ofSession.blocks { $0.id == "7" }) == ["4", "6", "7"])
            #expect(Self.ids(await ofTypes.blocks { $0.id == "7" }) == ["5", "6", "7"])
        }
    }

    /// Far more events than are kept in memory, and more bytes than the connection's buffers take, before it is read.
    @Test func aReaderThatFallsBehindGetsEverythingInOrder() async throws {
        try await Self.streaming { service in
            let metadata = String(repeating: "x", count: 15_000)
            let id = try await service.add("http://a.example/0", #","metadata":{"a":"\#(metadata)"}"#)
            let all = try await service.listen("/events", isSlow: true)
            let some = try await service.listen("/events?types=download.paused", isSlow: true)
            _ = await all.blocks { $0.event == "snapshot" }
            _ = await some.blocks { $0.event == "snapshot" }
            let count = 600
            for _ in 0..<(count / 2) {
                try await service.act("pause", on: id)
                try await service.act("resume", on: id)
            }

            let told = await all.blocks { $0.id == "\(count + 1)" }
            let toldInPart = await some.blocks { $0.id == "\(count)" }
            #expect(Self.ids(told) == (2...(count + 1)).map(String.init))
            #expect(toldInPart.count == count / 2)
        }
    }

    @Test func everyoneIsTold() async throws {
        try await Self.streaming(StreamSettings(limit: 200)) { service in
            var readers: [EventReader] = []
            for _ in 0..<200 { readers.append(try await Self.open(service)) }
            try await service.add("http://a.example/0")

            for reader in readers { #expect(await reader.next()?.id == "1") }
        }
    }

    @Test func aStreamThatIsSilentShowsThatItIsThere() async throws {
        try await Self.streaming { service in
            let reader = try await Self.open(service)
            for _ in 0..<2 {
                // What was sent last is noted first.
                await Self.turn(service, by: .milliseconds(250))
                await Self.turn(service, by: .seconds(15))
                #expect(await reader.next()?.comment == "hb \(service.time.now.seconds)")
            }
        }
    }

    @Test func aStreamEndsAsItWasTold() async throws {
        try await Self.streaming { service in
            for index in 0..<5 { try await service.add("http://a.example/\(index)") }
            let counted = try await service.listen("/events?last_event_id=0&max_events=2")
            #expect(Self.ids(await counted.rest()) == ["1", "2"])

            let timed = try await Self.open(service, "/events?max_seconds=3")
            await Self.turn(service, by: .seconds(3))
            #expect(await timed.rest() == [])
            let aged = try await Self.open(service)
            await Self.turn(service, by: .seconds(3600))
            #expect(await aged.rest() == [])
        }
    }

    @Test func noMoreStreamsThanMayBe() async throws {
        try await Self.streaming(StreamSettings(limit: 2)) { service in
            var readers = [try await Self.open(service), try await Self.open(service)]
            let refused = try await service.request("GET", "/events", fields: [("Accept", "text/event-stream")])
            #expect(refused.status == 503)
            #expect(refused.problem == "too-many-streams")
            #expect(refused["retry-after"] != nil)

            readers.removeLast()
            try await service.hasStreams(1)
            let next = try await Self.open(service)
            #expect(await next.status == 200)
            _ = readers
        }
    }

    /// The limit counts what is open, so that a client which is gone without a word leaves its place to the next.
    @Test(arguments: [false, true])
    func aStreamWhoseClientLeftIsGone(resetting: Bool) async throws {
        try await Self.streaming(StreamSettings(limit: 3)) { service in
            for _ in 0..<3 {
                var readers: [EventReader] = []
                for _ in 0..<3 { readers.append(try await Self.open(service)) }
                #expect(service.hub.count == 3)
                if resetting { for reader in readers { await reader.resetOnClose() } }

                readers = []
                try await service.hasStreams(0)
            }
        }
    }

    @Test func aTokenHasStreamsOfItsOwn() async throws {
        let options = TestService.Options.with {
            $0.runsScheduler = false
            $0.token = "token"
            $0.streams = StreamSettings(limitPerCaller: 2)
        }
        try await withService(options) { service in
            let given = try await service.request("POST", "/tickets", #"{"path":"/events"}"#)
            let ticket = try given.json["links"]?["resource"]?.text
            let href = try #require(ticket)
            // Without the field, so that the ticket is what counts.
            let byTicket = try await EventReader(port: service.client.port, href)
            var readers = [try await Self.open(service)]
            let refused = try await service.request("GET", "/events", fields: [("Accept", "text/event-stream")])

            #expect(await byTicket.status == 200)
            #expect(refused.status == 503)
            #expect(refused.problem == "too-many-streams")
            #expect(refused["retry-after"] != nil)
            #expect(try await EventReader(port: service.client.port, href).status == 503)

            readers = []
            try await service.hasStreams(1)
            readers.append(try await Self.open(service))
            #expect(await readers[0].status == 200)
            #expect(try await service.request("GET", "/events").status == 200)
        }
    }

    @Test func aServiceThatStopsTellsItsClientsWhenToComeBack() async throws {
        let service = try await TestService(
            .with { $0.runsScheduler = false },
            folder: TemporaryFolder(),
            time: ManualTime()
        )
        var readers: [EventReader] = []
        for _ in 0..<20 { readers.append(try await Self.open(service)) }

        try await service.stop()

        for reader in readers {
            let blocks = await reader.rest()
            #expect(blocks.count == 1)
            #expect((1000...5000).contains(blocks.first?.retry ?? 0))
            #expect(await reader.isAtEnd)
        }
    }

    @Test(arguments: [
        ("text/event-stream", true), ("text/event-stream, */*", true),
        ("text/event-stream, application/json;q=0.5", true), ("text/*", true),
        ("application/json, text/event-stream", false), ("*/*", false), ("text/*;q=0.5, application/json", false),
        ("text/event-stream;q=0, application/json", false),
    ])
    func theClientSaysWhichItTakes(_ accept: String, isStream: Bool) async throws {
        try await Self.streaming { service in
            let head = try await service.request("HEAD", "/events", fields: [("Accept", accept)])

            #expect(head.status == 200)
            #expect(head["content-type"]?.hasPrefix("text/event-stream") == isStream)
        }
    }

    @Test func aTransferIsToldOfWithoutANumber() async throws {
        let size = Int64(1 << 20)
        let origin = Origin(Content(size: 2 * size), script: [.pace(.stall(after: size, until: Signal()))])
        defer { origin.stop() }
        try await withService { service in
            let reader = try await Self.open(service)
            let id = try await service.add(origin.url("/a"))
            try await service.wait(id, receives: size)
            let seen = Signal()
            let reading = Task {
                let blocks = await reader.blocks { $0.event == "progress" && $0.data?.contains("\(size)") == true }
                seen.fire()
                return blocks.last
            }
            try await service.advanceClock(by: .milliseconds(250)) { seen.count > 0 ? () : nil }

            let progress = try #require(await reading.value)
            #expect(progress.id == nil)
            let data = try JSONValue(parsing: Array((progress.data ?? "").utf8))
            #expect(data["id"]?.text == id)
            #expect(data["progress"]?["received_bytes"]?.integer == size)
            try await service.act("cancel", on: id)
        }
    }
}
