import Foundation
import GRDB
import Model

/// One claim of deliveries: from webhook to webhook, with one look at each that has any, however many wait there.
struct DeliveryWalk {
    private let transaction: Transaction
    private var slots: DeliverySlots
    private let now: Timestamp
    private(set) var claim = DeliveryClaim()
    /// The last webhook of which something was claimed.
    private(set) var last: String?

    private var free: Int { slots.free - claim.deliveries.count }

    /// How many are put aside, or passed by, in one transaction.
    private static let limit = 500
    private static let slack = Duration.seconds(60)

    init(_ transaction: Transaction, _ slots: DeliverySlots, now: Timestamp) {
        self.transaction = transaction
        self.slots = slots
        self.now = now
    }

    /// - Parameter begin: The webhook that comes last.
    mutating func run(after begin: String?) throws {
        try passHeads()
        if let time = try transaction.releaseBacklogs(at: now) {
            if time > now { note(time) } else { claim.isComplete = false }
        }
        try walk(after: begin ?? "", through: nil)
        if let begin { try walk(after: "", through: begin) }
    }

    /// Lets those go on that a head has kept long enough.
    private mutating func passHeads() throws {
        let heads = try Row.fetchAll(
            transaction.database.cachedStatement(
                sql: """
                    SELECT id, webhook, session FROM delivery INDEXED BY delivery_blocking WHERE blocks_until <= ?1
                    UNION ALL
                    SELECT id, webhook, session FROM delivery INDEXED BY delivery_blocking WHERE blocks_until > ?2
                    LIMIT ?3
                    """
            ),
            // What lies further ahead than it could is from before the clock was set back. Attempts may have ended a
            // little later than `now`.
            arguments: [now.milliseconds, (now + DeliverySchedule.longestBlock + Self.slack).milliseconds, Self.limit]
        )
        for row in heads {
            var reader = RowReader(row)
            let (id, webhook): (DeliveryID, WebhookID) = (try reader.id(), try reader.id())
            let text: String = try reader.next()
            guard let session = SessionName(text) else { throw StoreError.unreadable("session '\(text)'") }
            try transaction.passHead(id, of: webhook, session)
        }
        if heads.count == Self.limit { claim.isComplete = false }
        let next = try Int64.fetchOne(
            transaction.database.cachedStatement(
                sql: "SELECT min(blocks_until) FROM delivery INDEXED BY delivery_blocking WHERE blocks_until > 0"
            )
        )
        if let next { note(Timestamp(milliseconds: next)) }
    }

    private mutating func note(_ time: Timestamp) {
        claim.next = min(claim.next ?? time, time)
    }

    private mutating func walk(after begin: String, through end: String?) throws {
        let statement = try transaction.database.cachedStatement(
            sql: """
                SELECT webhook, next_attempt_at FROM delivery INDEXED BY delivery_due
                WHERE webhook > ? AND state = 'pending' AND place IS NOT 'behind'
                ORDER BY webhook, next_attempt_at, id LIMIT 1
                """
        )
        var cursor = begin
        while free > 0, let row = try Row.fetchOne(statement, arguments: [cursor]) {
            var reader = RowReader(row)
            let id: WebhookID = try reader.id()
            if let end, id.text > end { return }
            cursor = id.text
            try visit(id, firstDue: reader.time())
        }
    }

    private mutating func visit(_ id: WebhookID, firstDue: Timestamp) throws {
        guard let webhook = try transaction.webhook(id) else { return }
        guard webhook.isEnabled else { return try putAside(id) }
        guard firstDue <= now else { return note(firstDue) }
        let rate = webhook.settings.rateLimitPerSecond ?? .max
        let isSpared = slots.spared.contains(id)
        let most = isSpared ? min(free, slots.freeToSpared) : free
        let allowed = min(slots.left[id] ?? slots.perWebhook, rate, most)
        guard allowed > 0 else {
            claim.held.insert(id)
            return
        }
        let found = try oldest(of: webhook, limit: allowed + 1)
        let due = found.prefix { $0.at <= now }.prefix(allowed)
        for (_, delivery) in due {
            try transaction.execute(
                "UPDATE delivery SET state = 'delivering', next_attempt_at = NULL WHERE id = ? AND state = 'pending'",
                [delivery.id.text]
            )
        }
        claim.deliveries += due.map(\.delivery)
        if isSpared { slots.freeToSpared -= due.count }
        if !due.isEmpty { last = id.text }
        guard due.count < found.count else { return }
        if found[due.count].at > now { note(found[due.count].at) } else { claim.held.insert(id) }
    }

    private func oldest(of webhook: Webhook, limit: Int) throws -> [(at: Timestamp, delivery: DueDelivery)] {
        let statement = try transaction.database.cachedStatement(
            sql: """
                SELECT delivery.next_attempt_at, delivery.id, event.id, delivery.attempts - delivery.schedule_from,
                    delivery.attempts, delivery.session, coalesce(delivery_body.body, event.body),
                    coalesce(delivery_body.format, 'standard')
                FROM delivery INDEXED BY delivery_due
                JOIN event ON event.seq = delivery.event
                LEFT JOIN delivery_body ON delivery_body.delivery = delivery.id
                WHERE delivery.webhook = ? AND delivery.state = 'pending' AND delivery.place IS NOT 'behind'
                ORDER BY delivery.next_attempt_at, delivery.id LIMIT ?
                """
        )
        return try Row.fetchAll(statement, arguments: [webhook.id.text, limit]).map { row in
            var reader = RowReader(row)
            let at = try reader.time()
            let id: DeliveryID = try reader.id()
            let event: EventID = try reader.id()
            let (made, logged): (Int, Int) = (try reader.next(), try reader.next())
            let session: String? = reader.optional()
            let body: Data = try reader.next()
            let delivery = DueDelivery(
                id: id,
                event: event,
                webhook: webhook,
                attemptsMade: made,
                attemptsLogged: logged,
                leads: session.flatMap { SessionName($0) },
                body: [UInt8](body),
                format: try reader.word()
            )
            return (at, delivery)
        }
    }

    /// What waits for a webhook that is disabled is not due any more. Those behind a head go first: they are found by
    /// what is due before them.
    private mutating func putAside(_ webhook: WebhookID) throws {
        claim.isComplete = false
        try transaction.execute(
            """
            UPDATE delivery SET state = 'disabled', next_attempt_at = NULL, finished_at = ?, session = NULL,
                place = NULL
            WHERE id IN (
                SELECT id FROM delivery INDEXED BY delivery_behind WHERE webhook = ? AND place = 'behind' LIMIT ?)
            """,
            [now.milliseconds, webhook.text, Self.limit]
        )
        guard transaction.database.changesCount < Self.limit else { return }
        try transaction.execute(
            """
            UPDATE delivery SET state = 'disabled', next_attempt_at = NULL, finished_at = ?, session = NULL,
                place = NULL, blocks_until = NULL
            WHERE id IN (SELECT id FROM delivery WHERE webhook = ? AND state = 'pending' LIMIT ?)
            """,
            [now.milliseconds, webhook.text, Self.limit]
        )
    }
}
