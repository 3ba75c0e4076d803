import API
import ServiceSupport
import TestSupport
import Testing

/// `GET /downloads/{id}/events` as a stream, and how it ends.
@Suite(.hangLimit)
struct DownloadStreamTests {
    @Test func aStreamOfADownloadEndsWithIt() async throws {
        try await withIdleService { service in
            let id = try await service.add("http://a.example/0")
            let other = try await service.add("http://a.example/1")
            let reader = try await service.listen("/downloads/\(id)/events?types=download.paused")
            _ = await reader.blocks { $0.event == "snapshot" }
            for id in [other, id] {
                try await service.act("pause", on: id)
                try await service.act("cancel", on: id)
            }

            let blocks = await reader.rest()

            #expect(blocks.map(\.event) == ["download.paused", "end"])
            #expect(blocks.last?.data == #"{"id":"\#(id)"}"#)
        }
    }

    @Test func aDownloadThatWasRetriedGoesOnBehindItsEnd() async throws {
        try await withIdleService { service in
            let id = try await service.add("http://a.example/0")
            for action in ["cancel", "retry", "cancel"] { try await service.act(action, on: id) }

            let reader = try await service.listen("/downloads/\(id)/events?last_event_id=1")
            let events = await reader.rest().compactMap(\.event)

            #expect(events == ["download.cancelled", "download.resumed", "download.cancelled", "end"])
        }
    }

    @Test func aStreamOfAnEndedDownloadReportsNothingMore() async throws {
        try await withIdleService { service in
            let id = try await service.add("http://a.example/0")
            try await service.act("cancel", on: id)
            let path = "/downloads/\(id)/events"
            let first = try await service.listen(path)
            let again = try await service.listen(path, fields: [("Last-Event-ID", "2")])
            let bare = try await service.listen("\(path)?snapshot=false")
            let missing = try await service.listen("/downloads/dl_01kdyak3seeejr3cp3tkjzc1rr/events")

            #expect(await first.rest().map(\.event) == [nil, "snapshot", "end"])
            #expect(await again.status == 204)
            #expect(await bare.status == 204)
            #expect(await missing.status == 404)
        }
    }

    @Test func aReconnectingStreamReportsADeletedDownload() async throws {
        try await withIdleService { service in
            let id = try await service.add("http://a.example/0")
            try await service.act("cancel", on: id)
            _ = try await service.send("DELETE", "/downloads/\(id)")
            let path = "/downloads/\(id)/events"
            let away = try await service.listen("\(path)?types=download.completed", fields: [("Last-Event-ID", "2")])
            let end = try #require(await away.rest().last)
            let told = try await service.listen(path, fields: [("Last-Event-ID", "2")])
            let again = try await service.listen(path, fields: [("Last-Event-ID", "3")])
            let new = try await service.listen(path)
            let other = "/downloads/dl_01kdyak3seeejr3cp3tkjzc1rr/events"
            let missing = try await service.listen(other, fields: [("Last-Event-ID", "2")])

            #expect(end.event == "end" && end.id == "3")
            #expect(await told.rest().map(\.event) == [nil, "download.deleted", "end"])
            #expect(await again.status == 204)
            #expect(await new.status == 404)
            #expect(await missing.status == 404)
        }
    }

    /// A browser that shows the last number it saw is told to stay away, be it one that its filter hides.
    @Test func aFilteredStreamOfADownloadEndsForGood() async throws {
        try await withIdleService { service in
            let id = try await service.add("http://a.example/0")
            try await service.act("cancel", on: id)
            let path = "/downloads/\(id)/events?types=download.created"
            let first = try await service.listen(path, fields: [("Last-Event-ID", "0")])
            let last = try #require(await first.rest().compactMap(\.id).last)
            let again = try await service.listen(path, fields: [("Last-Event-ID", last)])

            #expect(last == "2")
            #expect(await again.status == 204)
        }
    }

    @Test func aHeadIsAnsweredAsTheStreamWouldBe() async throws {
        try await withIdleService { service in
            let id = try await service.add("http://a.example/0")
            try await service.act("cancel", on: id)
            let path = "/downloads/\(id)/events"
            for (target, status) in [
                ("/events", 200), (path, 200), ("\(path)?last_event_id=2", 204),
                ("/downloads/dl_01kdyak3seeejr3cp3tkjzc1rr/events", 404),
            ] {
                let fields = [("Accept", "text/event-stream")]
                let head = try await service.send("HEAD", target, fields: fields)
                #expect(head.status == status, "\(target)")
                #expect((head["transfer-encoding"] == "chunked") == (status == 200), "\(target)")
            }
            #expect(service.hub.count == 0)
        }
    }
}
