import Core
import StoreSupport
import TestSupport

@testable import Store

enum Deliveries {
    /// An attempt that took no time.
    static func attempt(
        _ result: DeliveryAttempt.Result,
        at time: Timestamp = Fixture.now
    ) -> (DeliveryAttempt, DeliveryAttempt.Result) {
        let attempt = with(DeliveryAttempt(startedAt: time, duration: .zero)) {
            $0.fields = [DeliveryAttempt.Field(name: "webhook-id", value: "evt: a:b")]
            $0.status = 200
            $0.error = nil
            $0.responseExcerpt = [111, 107]
            $0.remoteAddress = "192.0.2.1"
        }
        return (attempt, result)
    }
}

extension Store {
    /// Claims as many as there are places, of each webhook no more than `perWebhook`.
    func claimDeliveries(limit: Int = 100, perWebhook: Int = 10, now: Timestamp) async throws -> [DueDelivery] {
        try await claimDeliveries(DeliverySlots(free: limit, perWebhook: perWebhook), node: Fixture.node, now: now)
            .deliveries
    }

    @discardableResult
    func recordDelivery(
        _ delivery: DueDelivery,
        _ attempt: (DeliveryAttempt, DeliveryAttempt.Result)
    ) async throws -> DisablingReason? {
        try await recordDelivery(SentDelivery(delivery, attempt))
    }

    /// When the next delivery is due of those that are not; nil where none waits for the clock.
    func nextDelivery(now: Timestamp) async throws -> Timestamp? {
        try await claimDeliveries(DeliverySlots(free: 1, perWebhook: 0), node: Fixture.node, now: now).next
    }
}

extension SentDelivery {
    init(_ delivery: DueDelivery, _ attempt: (DeliveryAttempt, DeliveryAttempt.Result)) {
        self.init(delivery, attempt.0, attempt.1)
    }
}

extension Fixture {
    /// Whether there is room for a webhook, which is made then.
    func makes(_ webhook: Webhook, limit: Int) async throws -> Bool {
        guard case .done(.some) = try await store.create(webhook, limit: limit) else { return false }
        return true
    }

    /// A webhook of a client, as `change` wants it.
    @discardableResult
    func webhook(
        _ url: DownloadURL = "https://hook.example/",
        at time: Timestamp = Fixture.now,
        _ change: (inout WebhookSettings) -> Void = { _ in }
    ) async throws -> Webhook {
        var settings = WebhookSettings(url: url)
        change(&settings)
        var webhook = Webhook(
            id: WebhookID(at: time),
            createdBy: .api,
            settings: settings,
            createdAt: time,
            updatedAt: time
        )
        webhook.keys = WebhookKeys(sealed: [1, 2, 3], fingerprint: "01020304")
        guard try await makes(webhook, limit: 50) else { throw StoreError.misuse("no room for a webhook") }
        return webhook
    }

    /// Ends so many downloads.
    func end(_ count: Int = 1, session: String? = nil, at time: Timestamp = Fixture.now) async throws {
        for _ in 0..<count { try await done(make(session: session, at: time).id, .cancel, at: time) }
    }

    /// Where each delivery of an event stands, and how often it was tried.
    func deliveryStates(of event: EventID) throws -> [(state: DeliveryState?, attempts: Int)] {
        try window.read { database in
            try database.all(
                "SELECT state, attempts FROM delivery WHERE event = (SELECT seq FROM event WHERE id = ?)",
                [event]
            ) { row in (try row.next(DeliveryState?.self), try row.next()) }
        }
    }
}
