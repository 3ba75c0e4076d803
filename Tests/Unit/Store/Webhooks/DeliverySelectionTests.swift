import Core
import Store
import StoreSupport
import Testing

/// No webhook waits for another, however many deliveries wait for that one.
@Suite struct DeliverySelectionTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private func claim(_ slots: DeliverySlots, at time: Timestamp = Fixture.now) async throws -> ClaimedDeliveries {
        try await fixture.store.claimDeliveries(slots, node: Fixture.node, now: time)
    }

    /// Makes so many more deliveries of the first one of a webhook.
    private func copy(_ webhook: Webhook, times: Int) throws {
        try fixture.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(times))
            INSERT INTO delivery (id, event, webhook, state, next_attempt_at)
            SELECT 'dlv_' || printf('%026d', i), event, webhook, 'pending', next_attempt_at
            FROM n, delivery WHERE webhook = ?
            """,
            [webhook.id.text]
        )
    }

    @Test func theWebhooksTakeTurns() async throws {
        for _ in 0..<3 { try await fixture.webhook() }
        try await fixture.end(3)
        var order: [WebhookID] = []
        for _ in 0..<6 {
            order += try await claim(DeliverySlots(free: 1, perWebhook: 9)).deliveries.map(\.webhook.id)
        }

        #expect(Array(order[..<3]) == Array(order[3...]))
        #expect(Set(order).count == 3)
    }

    @Test func aWebhookWithAHundredThousandDeliveriesDelaysNoOther() async throws {
        let dead = try await fixture.webhook()
        try await fixture.end()
        try copy(dead, times: 100_000)
        let other = try await fixture.webhook()
        try await fixture.end()

        let claim = try await claim(DeliverySlots(free: 4, perWebhook: 4, remaining: [dead.id: 0]))

        #expect(claim.deliveries.map(\.webhook.id) == [other.id])
    }

    @Test func slowWebhooksShareHalfOfThePlaces() async throws {
        var webhooks: Set<WebhookID> = []
        for _ in 0..<5 { webhooks.insert(try await fixture.webhook().id) }
        try await fixture.end()
        let slots = DeliverySlots(
            free: 9,
            perWebhook: 4,
            remaining: Dictionary(uniqueKeysWithValues: webhooks.map { ($0, 1) }),
            slow: webhooks,
            freeForSlow: 2
        )

        let claim = try await claim(slots)

        #expect(claim.deliveries.count == 2)
    }

    @Test func aRateLimitsWhatIsClaimedAtOnce() async throws {
        try await fixture.webhook { $0.rateLimitPerSecond = 2 }
        try await fixture.end(5)

        let claim = try await claim(DeliverySlots(free: 9, perWebhook: 4))

        #expect(claim.deliveries.count == 2 && claim.next == Fixture.now + .milliseconds(500))
    }

    /// A crash loop must not send a burst at each start.
    @Test func aRateLimitHoldsOverARestart() async throws {
        try await fixture.webhook { $0.rateLimitPerSecond = 2 }
        try await fixture.end(5)
        let slots = DeliverySlots(free: 9, perWebhook: 4)
        _ = try await claim(slots)

        fixture.store.close()
        let restarted = try Fixture.open(fixture.path)
        defer { restarted.close() }
        try await restarted.recoverDeliveries(after: .all, now: Fixture.now)
        let early = try await restarted.claimDeliveries(slots, node: "next", now: Fixture.now + .milliseconds(499))
        let due = try await restarted.claimDeliveries(slots, node: "next", now: Fixture.now + .milliseconds(500))

        #expect(early.deliveries.isEmpty && early.next == Fixture.now + .milliseconds(500))
        #expect(due.deliveries.count == 1 && due.next == Fixture.at(1))
    }

    @Test func theNextDueInstantIsThatOfTheEarliestDelivery() async throws {
        try await fixture.webhook()
        try await fixture.end(2)
        for (due, delay) in zip(try await claim(DeliverySlots(free: 9, perWebhook: 4)).deliveries, [60, 30]) {
            let attempt = Deliveries.attempt(.retry(at: Fixture.at(Int64(delay))))
            try await fixture.store.recordDelivery(due, attempt)
        }

        let none = try await claim(DeliverySlots(free: 9, perWebhook: 4), at: Fixture.at(29))
        let one = try await claim(DeliverySlots(free: 9, perWebhook: 4), at: Fixture.at(30))

        #expect(none.deliveries.isEmpty && none.next == Fixture.at(30))
        #expect(one.deliveries.count == 1 && one.next == Fixture.at(60))
    }

    @Test func deliveriesOfADisabledWebhookAreDisabledInSteps() async throws {
        var webhook = try await fixture.webhook()
        try await fixture.end()
        try copy(webhook, times: 1200)
        webhook.disabled = Webhook.Disabling(reason: "requested", at: Fixture.now)
        _ = try await fixture.store.update(webhook, now: Fixture.now)
        var claims = 0
        while try await !claim(DeliverySlots(free: 9, perWebhook: 4)).isComplete { claims += 1 }

        #expect(claims == 3)
        #expect(try fixture.count("delivery WHERE state = 'disabled' AND finished_at IS NOT NULL") == 1201)
    }
}
