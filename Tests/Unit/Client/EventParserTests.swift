import Testing

@testable import Client

@Suite
struct EventParserTests {
    @Test func aBlockMayComeInPieces() {
        var parser = EventParser()

        let first = parser.consume(Array("id: 7\nevent: download.comp".utf8))
        let second = parser.consume(Array("leted\ndata: {\"a\":1}\n\n: hb 1\n\nid: 8\n\n".utf8))

        #expect(first == [])
        #expect(second == [EventParser.Block(event: "download.completed", data: #"{"a":1}"#)])
        #expect(parser.lastID == "8")
    }

    @Test func aBlockThatALostConnectionCutOffIsDropped() {
        var parser = EventParser()
        _ = parser.consume(Array("id: 7\nevent: x.y\ndata: 1".utf8))
        parser.restart()

        #expect(parser.consume(Array("event: a.b\ndata: 2\n\n".utf8)) == [EventParser.Block(event: "a.b", data: "2")])
        #expect(parser.lastID == "7")
    }

    @Test func theServiceSaysHowLongToWait() {
        var parser = EventParser()
        _ = parser.consume(Array("retry: 1234\n\n".utf8))

        #expect(parser.retryMilliseconds == 1234)
    }

    @Test func aSnapshotAProgressAndAnEventAreRead() throws {
        let snapshot = EventParser.Block(
            event: "snapshot",
            data: #"{"seq":1,"more":true,"items":[{"id":"dl_1","state":"running","new_member":{}}]}"#
        )
        let progress = EventParser.Block(
            event: "progress",
            data: #"{"id":"dl_1","session":null,"phase":"transferring","progress":{"received_bytes":5}}"#
        )
        let event = EventParser.Block(
            event: "download.failed",
            data: #"{"seq":2,"id":"evt_1","type":"download.failed","data":{"id":"dl_1","state":"failed"}}"#
        )

        #expect(try StreamItem(snapshot) == .snapshot([Download(id: "dl_1", state: "running")], isLast: false))
        guard case .progress(let reading) = try StreamItem(progress) else { return #expect(Bool(false)) }
        #expect(reading.progress.receivedBytes == 5)
        guard case .event(let read) = try StreamItem(event) else { return #expect(Bool(false)) }
        #expect(read.download?.state == "failed")
        #expect(read.seq == 2)
    }

    @Test func aBlockOfALaterVersionIsSkipped() throws {
        #expect(try StreamItem(EventParser.Block(event: "novelty", data: "{}")) == nil)
    }
}
