import Core
import Store
import StoreSupport
import TestSupport
import Testing

@Suite struct WebhookTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private func claim() async throws -> [DueDelivery] {
        try await fixture.store.claimDeliveries(limit: 10, perWebhook: 10, now: Fixture.now)
    }

    @Test func theWebhookOfTheSettingsIsOneRow() async throws {
        try await fixture.store.configureWebhook(Fixture.url(host: "a"), now: Fixture.now)
        try await fixture.done(fixture.make().id, .cancel)
        try await fixture.store.configureWebhook(Fixture.url(host: "b"), now: Fixture.now)

        #expect(try fixture.count("webhook") == 1)
        #expect(try await claim().map(\.webhook.settings.url) == ["https://b/file"])
    }

    @Test func aDisabledOneGetsNothing() async throws {
        try await fixture.store.configureWebhook(Fixture.url(), now: Fixture.now)
        try await fixture.done(fixture.make().id, .cancel)
        try await fixture.store.configureWebhook(nil, now: Fixture.now)
        try await fixture.done(fixture.make().id, .cancel)

        #expect(try fixture.value("SELECT disabled_reason FROM webhook") == "removed")
        #expect(try fixture.count("delivery") == 1)
        #expect(try await claim().isEmpty)
        #expect(try fixture.texts("SELECT state FROM delivery") == ["disabled"])
        #expect(try await fixture.store.nextDelivery(now: Fixture.at(-1)) == nil)
    }

    @Test func enabledAgainItGetsWhatItMissedOnceThatIsRecovered() async throws {
        try await fixture.store.configureWebhook(Fixture.url(), now: Fixture.now)
        for _ in 0..<2 { try await fixture.done(fixture.make().id, .cancel) }
        let due = try #require(try await claim().first)
        try await fixture.store.recordDelivery(due, Deliveries.attempt(.disables(.gone)))
        try await fixture.store.recoverDeliveries(after: .all, now: Fixture.now)
        #expect(try await claim().isEmpty)

        try await fixture.store.configureWebhook(Fixture.url(), now: Fixture.now)
        #expect(try await claim().isEmpty)
        let count = try await fixture.store.recoverDeliveries(
            of: due.webhook.id,
            .disabled,
            Fixture.now..<Fixture.at(1),
            limit: 10,
            now: Fixture.now
        )
        #expect(count == 2)
        #expect(try await claim().count == 2)
    }

    @Test func noWebhookAtAllIsNoError() async throws {
        try await fixture.store.configureWebhook(nil, now: Fixture.now)

        #expect(try fixture.count("webhook") == 0)
    }
}

/// Which webhooks an event is delivered to, and in which form.
@Suite struct FanOutTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private func types(for webhook: Webhook) throws -> [String] {
        try fixture.texts(
            "SELECT type FROM event JOIN delivery ON delivery.event = seq WHERE webhook = ? ORDER BY seq",
            [webhook.id.text]
        )
    }

    @Test func eachWebhookReceivesWhatItAskedFor() async throws {
        let usual = try await fixture.webhook()
        let all = try await fixture.webhook { $0.eventTypes = [EventPattern("*")].compactMap(\.self) }
        let session = try await fixture.webhook { $0.session = SessionFilter("other") }
        try await fixture.end(session: "s")

        #expect(try types(for: usual) == ["download.cancelled", "session.finished"])
        #expect(try types(for: all) == ["download.created", "download.cancelled", "session.finished"])
        #expect(try types(for: session) == [])
    }

    @Test func aSessionsEventIsHeldAgainstTheLabelsOfTheSession() async throws {
        let labels = JSONText(canonical: #"{"env":"prod"}"#)
        let webhook = try await fixture.webhook { $0.labels = labels }
        _ = try await fixture.store.setUpSession(
            #require(SessionName("s")),
            SessionSettings(labels: labels),
            now: Fixture.now
        )
        try await fixture.end(session: "s")
        try await fixture.end(session: "t")

        #expect(try types(for: webhook) == ["session.finished"])
    }

    @Test func aWebhookThatIsDisabledOrDeletedReceivesNothing() async throws {
        var disabled = try await fixture.webhook()
        disabled.disabled = Webhook.Disabling(reason: "requested", at: Fixture.now)
        _ = try await fixture.store.update(disabled, now: Fixture.now)
        let deleted = try await fixture.webhook()
        _ = try await fixture.store.deleteWebhook(deleted.id, expectedRevision: nil, now: Fixture.now)
        try await fixture.end()

        #expect(try fixture.count("delivery") == 0)
    }

    @Test func onlyAnotherFormThanTheLogsIsStoredWithTheDelivery() async throws {
        try await fixture.webhook()
        let thin = try await fixture.webhook { $0.form = EventForm(payload: .thin, format: .cloudEvents) }
        try await fixture.webhook { $0.form = EventForm(payload: .thin, format: .cloudEvents) }
        try await fixture.end()

        #expect(try fixture.count("delivery") == 3)
        #expect(try fixture.count("delivery_body") == 2)
        let bodies = try await fixture.store.claimDeliveries(now: Fixture.now).map {
            ($0.webhook.id == thin.id, String(decoding: $0.body, as: UTF8.self))
        }
        let id = try #require(try fixture.value("SELECT id FROM download") as String?)
        #expect(bodies.first { $0.0 }?.1 == "2 download.cancelled \(id) thin cloudevents")
        #expect(bodies.count { $0.1 == "2 download.cancelled \(id)" } == 1)
    }

    // MARK: - Callbacks

    private func request(_ callback: DownloadURL = "https://callback.example/a") -> DownloadRequest {
        with(DownloadRequest(url: Fixture.url())) {
            $0.callbackURL = callback
        }
    }

    @Test func aCallbackURLIsToldWhenItsDownloadHasEndedAndOfNothingElse() async throws {
        let download = try await fixture.make(request())
        try await fixture.make()
        try await fixture.done(download.id, .pause)
        try await fixture.done(download.id, .cancel)

        let due = try await fixture.store.claimDeliveries(now: Fixture.now)
        #expect(due.map(\.webhook.settings.url) == ["https://callback.example/a"])
        #expect(due.map(\.webhook.createdBy) == [.callback])
        #expect(due.allSatisfy { $0.webhook.keys == nil })
        #expect(try fixture.texts("SELECT type FROM event JOIN delivery ON event = seq") == ["download.cancelled"])
    }

    @Test func downloadsOfOneCallbackURLShareAWebhook() async throws {
        for _ in 0..<3 { try await fixture.done(fixture.make(request()).id, .cancel) }
        try await fixture.done(fixture.make(request("https://callback.example/b")).id, .cancel)

        #expect(try fixture.count("webhook WHERE created_by = 'callback'") == 2)
        #expect(try fixture.count("delivery") == 4)
    }

    @Test func aSessionsCallbackURLIsToldWhenItHasFinished() async throws {
        let name = try #require(SessionName("s"))
        let settings = SessionSettings(callbackURL: "https://callback.example/s")
        _ = try await fixture.store.setUpSession(name, settings, now: Fixture.now)
        try await fixture.end(2, session: "s")

        #expect(
            try fixture.texts("SELECT type FROM event JOIN delivery ON event = seq ORDER BY seq")
                == ["session.finished", "session.finished"]
        )
        #expect(try await fixture.store.session(name)?.session.settings == settings)
    }

    @Test func aCallbackURLThatIsGoneReceivesAgainOnceItIsNamedAnew() async throws {
        try await fixture.done(fixture.make(request()).id, .cancel)
        let due = try #require(try await fixture.store.claimDeliveries(now: Fixture.now).first)
        let reason = try await fixture.store.recordDelivery(due, Deliveries.attempt(.disables(.gone)))
        #expect(reason == .gone)
        #expect(try fixture.count("event WHERE type = 'webhook.disabled'") == 0)

        let named = try await fixture.make(request())
        try await fixture.done(named.id, .cancel)

        #expect(try await fixture.store.claimDeliveries(now: Fixture.now).count == 1)
    }

    @Test func theWebhookOfACallbackGoesWithItsDeliveries() async throws {
        try await fixture.done(fixture.make(request()).id, .cancel)
        let due = try #require(try await fixture.store.claimDeliveries(now: Fixture.now).first)
        try await fixture.store.recordDelivery(due, Deliveries.attempt(.succeeded))
        try await fixture.make(at: Fixture.at(86_400 * 40))

        _ = try await fixture.store.purge(PurgeAges(), now: Fixture.at(86_400 * 80))

        #expect(try fixture.count("delivery") == 0)
        #expect(try fixture.count("webhook") == 0)
    }
}
