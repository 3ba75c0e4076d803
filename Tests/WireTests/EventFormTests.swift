@testable import API
import Core
import ServiceSupport
import Testing

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

    private static func drain() throws -> Event {
        let drain = SessionDrain(
            name: try #require(SessionName("nightly")),
            epoch: 3,
            isSealed: false,
            counts: [:],
            receivedBytes: 0,
            startedAt: now,
            finishedAt: now,
            failed: [],
            lastSequence: 1
        )
        return try event(.sessionFinished, .session(drain))
    }

    private static func notice() throws -> Event {
        let id = try #require(WebhookID("whk_01kdyak3seeejr3cp3tkjzc1rr"))
        let disabled = Webhook.Disabling(reason: "gone", at: now)
        let notice = WebhookNotice(id: id, url: "https://hook.example/?token=secret", disabled: disabled)
        return try event(.webhookDisabled, .webhook(notice))
    }

    private static func json(_ event: Event, _ form: EventForm) throws -> JSONValue {
        try JSONValue(parsing: WireEncoder.encode(event: event, form: form))
    }

    private static func check(_ value: JSONValue, _ schema: String) {
        #expect(Contract.shared.violations(value, schema: schema) == [])
    }

    @Test func aThinEventSaysWhereToLook() throws {
        let form = EventForm(payload: .thin, format: .standard)
        let download = try Self.json(Self.completed(), form)
        let session = try Self.json(Self.drain(), form)
        let webhook = try Self.json(Self.notice(), form)

        #expect(download["data"]?.names == ["id", "session", "state", "href", "seq"])
        #expect(download["data"]?["href"]?.text == "/downloads/\(download["data"]?["id"]?.text ?? "")")
        #expect(session["data"]?["href"]?.text == "/sessions/nightly" && session["data"]?["epoch"]?.integer == 3)
        Self.check(download, "ThinDownloadEvent")
        Self.check(session, "ThinSessionEvent")
        Self.check(webhook, "ThinWebhookEvent")
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
