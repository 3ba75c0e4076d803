import Core
import Store
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
        try await fixture.store.settleDelivery(due, Deliveries.attempt(.disables(.gone)))
        try await fixture.store.recoverDeliveries(now: Fixture.now)
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
