import Core
import ServiceSupport
import Testing

@testable import API

/// The blocks of a stream, byte for byte where a browser reads them.
@Suite struct StreamFrameTests {
    private static func lines(_ frame: [UInt8]) -> [Substring] {
        String(decoding: frame, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    }

    private static func data(_ frame: [UInt8]) throws -> JSONValue {
        let line = try #require(lines(frame).first { $0.hasPrefix("data: ") })
        return try JSONValue(parsing: Array(line.dropFirst(6).utf8))
    }

    @Test func anEventIsOneLineOfData() throws {
        let event = LoggedEvent(
            sequence: 4712,
            id: try #require(EventID("evt_01kdyak3seeek83cp3tkjzc1rr")),
            type: .downloadCompleted,
            at: Timestamp(milliseconds: 0),
            download: nil,
            session: nil,
            body: Array(#"{"type":"download.completed","timestamp":"t","data":{"a":"é\n"}}"#.utf8)
        )

        let text = String(decoding: StreamFrame.event(event), as: UTF8.self)

        #expect(
            text == """
                id: 4712
                event: download.completed
                data: {"seq":4712,"id":"evt_01kdyak3seeek83cp3tkjzc1rr","type":"download.completed",\
                "timestamp":"t","data":{"a":"é\\n"}}


                """
        )
    }

    @Test func onlyTheLastPartOfASnapshotIsToBeResumedFrom() throws {
        let body = DownloadBody(download: try Samples.full(.running), fileAvailable: false)

        let first = StreamFrame.snapshot([StreamFrame.snapshotEntry(of: body)], at: 7, isLast: false)
        let last = StreamFrame.snapshot([], at: 7, isLast: true)

        #expect(Self.lines(first).first == "event: snapshot")
        #expect(Self.lines(last).prefix(2) == ["id: 7", "event: snapshot"])
        #expect(try Self.data(first)["more"] == .bool(true))
        #expect(try Self.data(last).canonical == #"{"items":[],"more":false,"seq":7}"#)
    }

    @Test func aSnapshotShowsADownloadAsTheResourceDoes() throws {
        let body = DownloadBody(download: try Samples.full(.failed), fileAvailable: false)
        let whole = try JSONValue(parsing: body.encoded())

        let frame = StreamFrame.snapshot([StreamFrame.snapshotEntry(of: body)], at: 1, isLast: true)
        let item = try #require(try Self.data(frame)["items"]?.items.first)

        #expect(Contract.shared.violations(item, schema: "DownloadOutline") == [])
        for name in item.names { #expect(item[name] == whole[name], "\(name)") }
    }

    @Test func progressHasNoNumber() throws {
        let reading = ProgressReading(
            phase: .transferring,
            receivedBytes: 10,
            totalBytes: 30,
            bytesPerSecond: 4,
            connections: 2
        )
        let id = DownloadID(at: Timestamp(milliseconds: 0))
        let liveProgress = LiveProgress(reading, at: Timestamp(milliseconds: 0))

        let frame = StreamFrame.progress(of: id, in: SessionName("s"), liveProgress)

        #expect(Self.lines(frame).first == "event: progress")
        #expect(Contract.shared.violations(try Self.data(frame), schema: "StreamProgress") == [])
        #expect(try Self.data(frame)["progress"]?["eta_seconds"]?.integer == 5)
        #expect(try Self.data(frame)["segments"] == nil)
    }

    @Test func progressHasTheSegmentsThatAreAskedFor() throws {
        let reading = ProgressReading(
            phase: .transferring,
            receivedBytes: 10,
            totalBytes: 30,
            bytesPerSecond: 4,
            connections: 1
        )
        let segments = [
            SegmentReading(start: 0, end: 10, receivedBytes: 10, state: .received),
            SegmentReading(
                start: 10,
                end: nil,
                receivedBytes: 0,
                state: .running,
                bytesPerSecond: 4.9,
                authority: "a.example:80"
            ),
        ]
        let now = Timestamp(milliseconds: 0)

        let frame = StreamFrame.progress(
            of: DownloadID(at: now),
            in: nil,
            LiveProgress(reading, at: now),
            segments: segments
        )

        let data = try Self.data(frame)
        #expect(Contract.shared.violations(data, schema: "StreamProgress") == [])
        let shown = try #require(data["segments"]?.items)
        #expect(shown.map { $0["first_byte"]?.integer } == [0, 10])
        #expect(shown.map { $0["last_byte"]?.integer } == [9, nil])
        #expect(shown.map { $0["received_bytes"]?.integer } == [10, 0])
        #expect(shown.map { $0["state"]?.text } == ["received", "running"])
        #expect(shown.map { $0["bytes_per_second"]?.integer } == [nil, 4])
        #expect(shown.map { $0["authority"]?.text } == [nil, "a.example:80"])
    }

    @Test func snapshotsAndProgressHaveTheFormOfServerSentEvents() {
        let id = DownloadID(at: Timestamp(milliseconds: 0))
        let frames: [([UInt8], String)] = [
            (StreamFrame.retry(3000), "retry: 3000\n\n"),
            (StreamFrame.position(9), "id: 9\n\n"),
            (StreamFrame.heartbeat(at: Timestamp(milliseconds: 1_767_323_060_500)), ": hb 1767323060\n\n"),
            (StreamFrame.reset(EventWindow(oldest: 3, newest: 5)), "event: reset\ndata: {\"oldest_seq\":3}\n\n"),
            (StreamFrame.end(of: id, at: 9), "id: 9\nevent: end\ndata: {\"id\":\"\(id.text)\"}\n\n"),
        ]

        for (frame, text) in frames { #expect(String(decoding: frame, as: UTF8.self) == text) }
    }
}
