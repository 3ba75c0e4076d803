import Core
import ServiceSupport
import TestSupport
import Testing

@testable import API

private func event(_ type: EventType, _ subject: Event.Subject) throws -> Event {
    let id = try #require(EventID("evt_01kdyak3seeek83cp3tkjzc1rr"))
    return Event(id: id, sequence: 7, type: type, at: Timestamp(milliseconds: 0), subject: subject)
}

@Test func anEventCarriesTheDownloadWithoutItsHeaders() throws {
    let subject = Event.Subject.download(try Samples.full(), previousState: .running, restart: nil)

    let body = try JSONValue(parsing: JSONEncoding.encode(event: try event(.downloadCompleted, subject)))

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

    let body = try JSONValue(parsing: JSONEncoding.encode(event: try event(.downloadRestarted, subject)))

    #expect(body["data"]?["restart"]?.canonical == #"{"discarded_bytes":9,"reason":"changed"}"#)
}

@Test func anEventThatIsTooLargeLeavesTheMetadataOut() throws {
    var download = try Samples.full()
    download.request.metadata = JSONText(canonical: "{\"a\":\"\(String(repeating: "x", count: 19_000))\"}")
    let subject = Event.Subject.download(download, previousState: nil, restart: nil)

    let bytes = JSONEncoding.encode(event: try event(.downloadFailed, subject))

    let data = try #require(try JSONValue(parsing: bytes)["data"])
    #expect(bytes.count <= EventBody.maximumBytes)
    #expect(data["truncated"] == .bool(true) && data["metadata"] == .object([]))
}

@Test func aFinishedSessionCountsItsEnds() throws {
    var finished = FinishedSession(
        name: try #require(SessionName("s")),
        epoch: 2,
        startedAt: Timestamp(milliseconds: 0),
        finishedAt: Timestamp(milliseconds: 1)
    )
    finished.isSealed = true
    finished.counts = [.completed: 3]
    finished.receivedBytes = 4
    finished.failed = [try #require(DownloadID(Samples.id))]
    finished.lastSequence = 6

    let body = try JSONValue(parsing: JSONEncoding.encode(event: try event(.sessionFinished, .session(finished))))

    #expect(body["data"]?["counts"]?.canonical == #"{"cancelled":0,"completed":3,"failed":0}"#)
    #expect(body["data"]?["failed_download_ids"]?.words == [Samples.id])
    #expect(body["data"]?["sealed"] == .bool(true) && body["data"]?["last_seq"] == .number("6"))
    let schema = try Description.schema("SessionEventData")
    #expect(Set(try #require(body["data"]).names) == Set(try #require(schema["required"]).words))
}

/// The forms in which webhooks receive events.
@Suite struct EventFormTests {
    private static let now = Timestamp(milliseconds: 1_767_323_045_678)

    private static func event(_ type: EventType, _ subject: Event.Subject) throws -> Event {
        let id = try #require(EventID("evt_01kdyak3seeek83cp3tkjzc1rr"))
        return Event(id: id, sequence: 7, type: type, at: now, subject: subject)
    }

    private static func completed() throws -> Event {
        let subject = Event.Subject.download(try Samples.full(.completed), previousState: .running, restart: nil)
        return try event(.downloadCompleted, subject)
    }

    private static func finishedSession() throws -> Event {
        var finished = FinishedSession(
            name: try #require(SessionName("nightly")),
            epoch: 3,
            startedAt: now,
            finishedAt: now
        )
        finished.isSealed = false
        finished.counts = [:]
        finished.receivedBytes = 0
        finished.failed = []
        finished.lastSequence = 1
        return try event(.sessionFinished, .session(finished))
    }

    private static func notice() throws -> Event {
        let id = try #require(WebhookID("whk_01kdyak3seeejr3cp3tkjzc1rr"))
        let disabled = Webhook.Disabling(reason: "gone", at: now)
        let notice = WebhookNotice(id: id, url: "https://hook.example/?token=secret", disabled: disabled)
        return try event(.webhookDisabled, .webhook(notice))
    }

    private static func json(_ event: Event, _ form: EventForm) throws -> JSONValue {
        try JSONValue(parsing: JSONEncoding.encode(event: event, form: form))
    }

    private static func check(_ value: JSONValue, _ schema: String) {
        #expect(Contract.shared.violations(value, schema: schema) == [])
    }

    @Test func aThinEventSaysWhereToLook() throws {
        let form = EventForm(payload: .thin, format: .standard)
        let download = try Self.json(Self.completed(), form)
        let session = try Self.json(Self.finishedSession(), form)
        let webhook = try Self.json(Self.notice(), form)

        #expect(download["data"]?.names == ["id", "session", "state", "links", "seq"])
        #expect(download["data"]?["links"]?["self"]?.text == "/downloads/\(download["data"]?["id"]?.text ?? "")")
        #expect(session["data"]?["links"]?["self"]?.text == "/sessions/nightly")
        #expect(session["data"]?["epoch"]?.integer == 3)
        Self.check(download, "ThinEvent")
        Self.check(session, "ThinEvent")
        Self.check(webhook, "ThinEvent")
    }

    @Test func aWebhookIsToldOfWithoutItsSecrets() throws {
        let json = try Self.json(Self.notice(), .standard)

        #expect(json["data"]?["url"]?.text == "https://hook.example/REDACTED")
        #expect(json["data"]?["disabled_reason"]?.text == "gone")
        Self.check(json, "WebhookEvent")
    }

    @Test(arguments: EventForm.Payload.allCases)
    func aCloudEventHasTheAttributesThatItsStandardAsksFor(_ payload: EventForm.Payload) throws {
        let event = try Self.completed()
        let json = try Self.json(event, EventForm(payload: payload, format: .cloudEvents))

        #expect(json["specversion"]?.text == "1.0")
        #expect(json["id"]?.text == event.id.text && json["source"]?.text == "/cormorant")
        #expect(json["type"]?.text == "download.completed" && json["time"]?.text == "2026-01-02T03:04:05.678Z")
        #expect(json["subject"] == json["data"]?["id"])
        #expect(json["data"] == (try Self.json(event, EventForm(payload: payload, format: .standard)))["data"])
        // CloudEvents 1.0, section 3.1: attribute names are of lower-case letters and digits.
        #expect(json.names.allSatisfy { $0.allSatisfy { $0.isLowercase || $0.isNumber } })
        #expect(
            json.names == [
                "specversion", "id", "source", "type", "subject", "time", "datacontenttype", "data",
            ]
        )
    }
}
