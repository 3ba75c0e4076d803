import Core
import Synchronization

/// One claim of deliveries. It visits each webhook with deliveries once, however many deliveries wait.
struct DeliverySelection {
    private let transaction: Transaction
    private var slots: DeliverySlots
    private let node: String
    private let now: Timestamp
    private(set) var claim = ClaimedDeliveries()
    /// The last webhook with a claimed delivery.
    private(set) var last: String?

    private var free: Int { slots.free - claim.deliveries.count }

    /// The maximum number of deliveries suspended, and of heads passed, in one transaction.
    private static let limit = 500
    private static let slack = Duration.seconds(60)

    init(_ transaction: Transaction, _ slots: DeliverySlots, node: String, now: Timestamp) {
        self.transaction = transaction
        self.slots = slots
        self.node = node
        self.now = now
    }

    /// - Parameter begin: The webhook that is visited last.
    mutating func run(after begin: String?) throws {
        try passHeads()
        if let time = try transaction.releaseBacklogs(at: now) {
            if time > now { record(time) } else { claim.isComplete = false }
        }
        try visitWebhooks(after: begin ?? "", through: nil)
        if let begin { try visitWebhooks(after: "", through: begin) }
    }

    /// Releases deliveries that a head has blocked long enough.
    private mutating func passHeads() throws {
        let heads = try transaction.database.all(
            """
            SELECT id, webhook, session FROM delivery {index delivery_blocking} WHERE blocks_until <= ?1
            UNION ALL
            SELECT id, webhook, session FROM delivery {index delivery_blocking} WHERE blocks_until > ?2
            LIMIT ?3
            """,
            // A time further ahead than possible was recorded before the clock was set back. Attempts may have ended a
            // little later than `now`.
            [now, now + DeliverySchedule.longestBlock + Self.slack, Self.limit]
        ) { row in
            (try row.next(DeliveryID.self), try row.next(WebhookID.self), try row.next(SessionName.self))
        }
        for (delivery, webhook, session) in heads { try transaction.passHead(delivery, of: webhook, session) }
        if heads.count == Self.limit { claim.isComplete = false }
        let next = try transaction.database.first(
            Timestamp.self,
            "SELECT min(blocks_until) FROM delivery {index delivery_blocking} WHERE blocks_until > 0"
        )
        if let next { record(next) }
    }

    private mutating func record(_ time: Timestamp) {
        claim.next = min(claim.next ?? time, time)
    }

    private mutating func visitWebhooks(after begin: String, through end: String?) throws {
        let sql = """
            SELECT webhook, next_attempt_at FROM delivery {index delivery_due}
            WHERE webhook > ? AND state = 'pending' AND place {is not} 'behind'
            ORDER BY webhook, next_attempt_at, id LIMIT 1
            """
        var cursor = begin
        while free > 0 {
            let next = try transaction.database.first(sql, [cursor]) { row in
                (try row.next(WebhookID.self), try row.next(Timestamp.self))
            }
            guard let (id, firstDue) = next else { return }
            if let end, id.text > end { return }
            cursor = id.text
            try visit(id, firstDue: firstDue)
        }
    }

    private mutating func visit(_ id: WebhookID, firstDue: Timestamp) throws {
        guard let webhook = try transaction.webhook(id) else { return }
        guard webhook.isEnabled else { return try suspend(id) }
        guard firstDue <= now else { return record(firstDue) }
        let rate = try rate(of: webhook)
        let credit = rate?.credit(at: now) ?? .max
        if let rate, credit <= 0 { record(rate.next(at: now)) }
        let isSlow = slots.slow.contains(id)
        let most = isSlow ? min(free, slots.freeForSlow) : free
        let allowed = min(slots.remaining[id] ?? slots.perWebhook, credit, most)
        guard allowed > 0 else { return }
        let found = try oldest(of: webhook, limit: allowed + 1)
        let due = found.prefix { $0.at <= now }.prefix(allowed).map(\.delivery)
        try claim(due, of: id, rate)
        if isSlow { slots.freeForSlow -= due.count }
        guard due.count < found.count else { return }
        let next = found[due.count].at
        // The end of a delivery in flight triggers the next claim. A rate limit needs a time.
        if next > now {
            record(next)
        } else if let rate, due.count == credit {
            record(rate.next(at: now, after: due.count))
        }
    }

    private mutating func claim(_ due: [DueDelivery], of webhook: WebhookID, _ rate: DeliveryRate?) throws {
        guard !due.isEmpty else { return }
        for delivery in due {
            try transaction.execute(
                """
                UPDATE delivery SET state = 'delivering', node = ?, next_attempt_at = NULL
                WHERE id = ? AND state = 'pending'
                """,
                [node, delivery.id]
            )
        }
        claim.deliveries += due
        last = webhook.text
        guard var rate else { return }
        rate.send(due.count, at: now)
        try transaction.execute(
            """
            INSERT INTO webhook_record (webhook, theoretical_arrival_us) VALUES (?1, ?2)
            ON CONFLICT (webhook) DO UPDATE SET theoretical_arrival_us = ?2
            """,
            [webhook, rate.theoreticalArrival]
        )
    }

    /// The rate limit of a webhook; nil if it has none.
    private func rate(of webhook: Webhook) throws -> DeliveryRate? {
        guard let perSecond = webhook.settings.rateLimitPerSecond else { return nil }
        let arrival = try transaction.database.first(
            Int64.self,
            "SELECT theoretical_arrival_us FROM webhook_record WHERE webhook = ?",
            [webhook.id]
        )
        return DeliveryRate(perSecond: perSecond, theoreticalArrival: arrival)
    }

    private func oldest(of webhook: Webhook, limit: Int) throws -> [(at: Timestamp, delivery: DueDelivery)] {
        let sql = """
            SELECT delivery.next_attempt_at, \(DueDelivery.selectList)
            FROM delivery {index delivery_due}
            JOIN event ON event.seq = delivery.event
            LEFT JOIN delivery_body ON delivery_body.delivery = delivery.id
            WHERE delivery.webhook = ? AND delivery.state = 'pending' AND delivery.place {is not} 'behind'
            ORDER BY delivery.next_attempt_at, delivery.id LIMIT ?
            """
        return try transaction.database.all(sql, [webhook.id, limit]) { row in
            (at: try row.next(), delivery: try DueDelivery(&row, of: webhook, node: node))
        }
    }

    /// Deliveries of a disabled webhook are no longer due. Those behind a head are suspended first: they are found
    /// through the due delivery before them.
    private mutating func suspend(_ webhook: WebhookID) throws {
        claim.isComplete = false
        let count = try transaction.execute(
            """
            UPDATE delivery SET state = 'disabled', next_attempt_at = NULL, finished_at = ?, session = NULL,
                place = NULL
            WHERE id IN (
                SELECT id FROM delivery {index delivery_behind} WHERE webhook = ? AND place = 'behind' LIMIT ?)
            """,
            [now, webhook, Self.limit]
        )
        guard count < Self.limit else { return }
        try transaction.execute(
            """
            UPDATE delivery SET state = 'disabled', next_attempt_at = NULL, finished_at = ?, session = NULL,
                place = NULL, blocks_until = NULL
            WHERE id IN (SELECT id FROM delivery WHERE webhook = ? AND state = 'pending' LIMIT ?)
            """,
            [now, webhook, Self.limit]
        )
    }
}

/// The start position of the next claim of deliveries, so that every webhook gets its turn.
final class DeliveryCursor: Sendable {
    private let webhook = Mutex<String?>(nil)

    /// The last webhook with a claimed delivery.
    var last: String? {
        get { webhook.withLock { $0 } }
        set { webhook.withLock { $0 = newValue } }
    }
}
