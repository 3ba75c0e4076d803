@testable import API
import Core
import ServiceSupport
import Testing

private func event(_ type: EventType, _ subject: Event.Subject) throws -> Event {
    let id = try #require(EventID("evt_01kdyak3seeek83cp3tkjzc1rr"))
    return Event(id: id, sequence: 7, type: type, at: Timestamp(milliseconds: 0), subject: subject)
}

@Test func anEventCarriesTheDownloadWithoutItsHeaders() throws {
    let subject = Event.Subject.download(try Samples.full(), previousState: .running, restart: nil)

    let body = try JSONValue(parsing: WireEncoder.encode(event: try event(.downloadCompleted, subject)))

    #expect(body["type"] == .string("download.completed"))
    #expect(body["timestamp"] == .string("1970-01-01T00:00:00.000Z"))
    let data = try #require(body["data"])
    #expect(data["previous_state"] == .string("running") && data["seq"] == .number("7"))
    #expect(data["request_headers"] == nil && data["links"] == nil && data["restart"] == nil)
    #expect(data["truncated"] == .bool(false))
}

@Test func aRestartSaysWhyAndHowMuch() throws {
    let restart = Event.Restart(reason: "changed", discardedBytes: 9)
    let subject = Event.Subject.download(try Samples.full(.running), previousState: .running, restart: restart)

    let body = try JSONValue(parsing: WireEncoder.encode(event: try event(.downloadRestarted, subject)))

    #expect(body["data"]?["restart"]?.canonical == #"{"discarded_bytes":9,"reason":"changed"}"#)
}

@Test func anEventThatIsTooLargeLeavesTheMetadataOut() throws {
    var download = try Samples.full()
    download.request.metadata = JSONText(canonical: "{\"a\":\"\(String(repeating: "x", count: 19_000))\"}")
    let subject = Event.Subject.download(download, previousState: nil, restart: nil)

    let bytes = WireEncoder.encode(event: try event(.downloadFailed, subject))

    let data = try #require(try JSONValue(parsing: bytes)["data"])
    #expect(bytes.count <= EventBody.maximumBytes)
    #expect(data["truncated"] == .bool(true) && data["metadata"] == .object([]))
}

@Test func aDrainedSessionCountsItsEnds() throws {
    let drain = SessionDrain(
        name: try #require(SessionName("s")),
        epoch: 2,
        isSealed: true,
        counts: [.completed: 3],
        receivedBytes: 4,
        startedAt: Timestamp(milliseconds: 0),
        finishedAt: Timestamp(milliseconds: 1),
        failed: [try #require(DownloadID(Samples.id))],
        lastSequence: 6
    )

    let body = try JSONValue(parsing: WireEncoder.encode(event: try event(.sessionFinished, .session(drain))))

    #expect(body["data"]?["counts"]?.canonical == #"{"cancelled":0,"completed":3,"failed":0}"#)
    #expect(body["data"]?["failed_ids"]?.words == [Samples.id])
    #expect(body["data"]?["sealed"] == .bool(true) && body["data"]?["last_seq"] == .number("6"))
    let schema = try Description.schema("SessionEventData")
    #expect(Set(try #require(body["data"]).names) == Set(try #require(schema["required"]).words))
}
