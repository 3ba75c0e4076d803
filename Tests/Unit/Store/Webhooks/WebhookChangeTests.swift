import Core
import Store
import StoreSupport
import TestSupport
import Testing

/// Webhooks of clients: made, changed, deleted, given up.
@Suite struct WebhookChangeTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private func summary(_ id: WebhookID) async throws -> WebhookSummary {
        try #require(try await fixture.store.webhook(id))
    }

    @Test func allThatIsSaidOfAWebhookIsKept() async throws {
        let webhook = try await fixture.webhook { settings in
            settings.description = "a"
            settings.eventTypes = ["download.*", "session.finished"].compactMap { EventPattern($0) }
            settings.session = SessionFilter("s*")
            settings.labels = JSONText(canonical: #"{"a":"b"}"#)
            settings.form = EventForm(payload: .thin, format: .cloudEvents)
            settings.ordering = .session
            settings.rateLimitPerSecond = 7
            settings.headers = SealedCredentials(bytes: [9])
            settings.headerNames = ["A", "B"]
        }

        #expect(try await summary(webhook.id) == WebhookSummary(webhook: webhook, record: WebhookRecord()))
        #expect(try await fixture.store.webhooks(after: nil, limit: 9).map(\.webhook) == [webhook])
        #expect(try await fixture.store.webhooks(after: webhook.id, limit: 9).isEmpty)
    }

    @Test func aChangeIsMadeOfWhatWasRead() async throws {
        var webhook = try await fixture.webhook()
        webhook.settings.description = "new"
        webhook.keys?.previous = .init(sealed: [8], expiresAt: Fixture.at(60))
        guard case .done(let changed) = try await fixture.store.update(webhook, now: Fixture.at(5)) else {
            Issue.record("it is not changed")
            return
        }
        guard case .unexpected(let revision) = try await fixture.store.update(webhook, now: Fixture.at(6)) else {
            Issue.record("it is changed though it was another one by then")
            return
        }

        #expect(changed.webhook.revision == 2 && revision == 2)
        #expect(changed.webhook.settings.description == "new")
        #expect(changed.webhook.keys == webhook.keys)
        #expect(changed.webhook.updatedAt == Fixture.at(5))
        #expect(try await summary(webhook.id).webhook == changed.webhook)
    }

    @Test func aChangeWithoutEffectKeepsTheRevision() async throws {
        let webhook = try await fixture.webhook()
        _ = try await fixture.store.update(webhook, now: Fixture.at(5))

        #expect(try await summary(webhook.id).webhook == webhook)
    }

    @Test func theNumberOfWebhooksIsLimited() async throws {
        try await fixture.store.configureWebhook(Fixture.url(), now: Fixture.now)
        let webhook = try await fixture.webhook()
        func another(_ id: WebhookID) -> Webhook {
            Webhook(
                id: id,
                createdBy: .api,
                settings: webhook.settings,
                createdAt: Fixture.now,
                updatedAt: Fixture.now
            )
        }

        #expect(try await !fixture.makes(another(WebhookID(at: Fixture.now)), limit: 1))
        #expect(try await fixture.makes(another(WebhookID(at: Fixture.now)), limit: 2))
        _ = try await fixture.store.deleteWebhook(webhook.id, expectedRevision: nil, now: Fixture.now)
        #expect(try await fixture.makes(another(WebhookID(at: Fixture.now)), limit: 2))
    }

    @Test func aDeletedWebhookIsSeenNoMoreAndGoesWithItsDeliveries() async throws {
        let webhook = try await fixture.webhook()
        try await fixture.end(3)
        let due = try #require(try await fixture.store.claimDeliveries(perWebhook: 1, now: Fixture.now).first)
        guard
            case .unexpected(revision: 1) = try await fixture.store.deleteWebhook(
                webhook.id,
                expectedRevision: 2,
                now: Fixture.now
            )
        else {
            Issue.record("it is deleted though it is another one")
            return
        }
        _ = try await fixture.store.deleteWebhook(webhook.id, expectedRevision: 1, now: Fixture.now)

        #expect(try await fixture.store.webhook(webhook.id) == nil)
        #expect(try await fixture.store.webhooks(after: nil, limit: 9).isEmpty)
        #expect(try await fixture.store.claimDeliveries(now: Fixture.now).isEmpty)
        _ = try await fixture.store.purge(PurgeAges(), limit: 2, now: Fixture.now)
        _ = try await fixture.store.purge(PurgeAges(), limit: 2, now: Fixture.now)
        #expect(try fixture.count("delivery") == 0)
        #expect(try fixture.count("webhook") == 0)
        // What was under way when it went is nobody's.
        #expect(try await fixture.store.recordDelivery(due, Deliveries.attempt(.succeeded)) == nil)
    }

    @Test func aSecretThatSignsNoMoreIsForgotten() async throws {
        var webhook = try await fixture.webhook()
        webhook.keys?.previous = .init(sealed: [8], expiresAt: Fixture.at(60))
        _ = try await fixture.store.update(webhook, now: Fixture.now)
        _ = try await fixture.store.purge(PurgeAges(), now: Fixture.at(59))
        #expect(try await summary(webhook.id).webhook.keys?.previous != nil)

        _ = try await fixture.store.purge(PurgeAges(), now: Fixture.at(60))
        #expect(try await summary(webhook.id).webhook.keys?.previous == nil)
        #expect(try fixture.count("webhook WHERE previous_secret IS NOT NULL") == 0)
    }

    // MARK: - Given up

    private func fail(_ due: DueDelivery, at time: Timestamp) async throws -> DisablingReason? {
        let attempt = Deliveries.attempt(.retry(at: time + .seconds(1)), at: time)
        return try await fixture.store.recordDelivery(due, attempt)
    }

    @Test func aWebhookThatTakesNothingForDaysIsGivenUpAndTheOthersAreTold() async throws {
        let dead = try await fixture.webhook("https://dead.example/")
        let other = try await fixture.webhook("https://other.example/") { settings in
            settings.eventTypes = [EventPattern("webhook.*")].compactMap(\.self)
        }
        try await fixture.end(2)
        var reason: DisablingReason?
        var hours: Int64 = 0
        while reason == nil, hours < 1000 {
            let time = Fixture.at(hours * 3600)
            for due in try await fixture.store.claimDeliveries(perWebhook: 1, now: time) {
                reason = try await fail(due, at: time) ?? reason
            }
            hours += 6
        }

        #expect(reason == .failing)
        // Twelve hours, five days, and the next attempt.
        #expect(hours == 12 + 120 + 6)
        let summary = try await summary(dead.id)
        #expect(summary.webhook.disabled?.reason == "failing")
        #expect(summary.record.succeeded == 0 && summary.record.failed == summary.record.health.consecutiveFailures)
        let told = try await fixture.store.claimDeliveries(now: Fixture.at(hours * 3600))
        #expect(told.map(\.webhook.id) == [other.id])
        #expect(
            try fixture.texts("SELECT DISTINCT state FROM delivery WHERE webhook = ?", [dead.id.text]) == ["disabled"]
        )
    }

    @Test func aWebhookThatSometimesAcceptsStaysEnabled() async throws {
        let webhook = try await fixture.webhook()
        try await fixture.end(200)
        for hour in Int64(0)..<200 {
            let due = try #require(
                try await fixture.store.claimDeliveries(perWebhook: 1, now: Fixture.at(hour * 3600)).first
            )
            if hour.isMultiple(of: 20) {
                let attempt = Deliveries.attempt(.succeeded, at: Fixture.at(hour * 3600))
                try await fixture.store.recordDelivery(due, attempt)
            } else {
                #expect(try await fail(due, at: Fixture.at(hour * 3600)) == nil)
            }
        }

        let record = try await summary(webhook.id).record
        #expect(record.succeeded == 10 && record.failed == 190)
        #expect(record.lastSuccessAt == Fixture.at(180 * 3600) && record.lastFailureAt == Fixture.at(199 * 3600))
        #expect(record.health.consecutiveFailures == 19)
    }

    @Test func enabledAgainItBeginsWithoutAPast() async throws {
        let id = try await fixture.webhook().id
        try await fixture.end()
        let due = try #require(try await fixture.store.claimDeliveries(now: Fixture.now).first)
        #expect(try await fixture.store.recordDelivery(due, Deliveries.attempt(.disables(.gone))) == .gone)
        var webhook = try await summary(id).webhook
        #expect(webhook.disabled == Webhook.Disabling(reason: "gone", at: Fixture.now))

        webhook.disabled = nil
        _ = try await fixture.store.update(webhook, now: Fixture.at(1))

        let record = try await summary(id).record
        #expect(record.health == WebhookHealth() && record.failed == 1)
    }

    @Test func anAnswerThatAbortsOneDeliveryShowsThatTheReceiverIsThere() async throws {
        let webhook = try await fixture.webhook()
        try await fixture.end(2)
        for (due, result) in zip(
            try await fixture.store.claimDeliveries(now: Fixture.now),
            [.retry(at: Fixture.at(1)), .aborted] as [DeliveryAttempt.Result]
        ) {
            try await fixture.store.recordDelivery(due, Deliveries.attempt(result))
        }

        let record = try await summary(webhook.id).record
        #expect(record.failed == 2 && record.health.consecutiveFailures == 0)
    }
}
