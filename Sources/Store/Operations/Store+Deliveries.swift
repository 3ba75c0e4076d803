import Foundation
import GRDB
public import Model

extension Store {
    /// Makes the webhook of the settings what the settings say: one row, enabled, with the given URL; none for nil.
    ///
    /// A webhook that is taken out of the settings stays as a disabled row, for the sake of its deliveries.
    public func configureWebhook(_ url: SourceURL?, now: Timestamp) async throws {
        try await writer.write { transaction in
            if let url {
                try transaction.execute(
                    """
                    INSERT INTO webhook (id, origin, url, scheme, host, port, path, enabled, created_at, updated_at)
                    VALUES (?1, 'settings', ?2, ?3, ?4, ?5, ?6, 1, ?7, ?7)
                    ON CONFLICT (origin) WHERE origin = 'settings' DO UPDATE SET
                        url = ?2, scheme = ?3, host = ?4, port = ?5, path = ?6, enabled = 1,
                        disabled_reason = NULL, updated_at = ?7
                    WHERE url IS NOT ?2 OR enabled = 0
                    """
                ) { writer in
                    writer.add(WebhookID(at: now).text)
                    url.write(to: &writer)
                    writer.add(now.milliseconds)
                }
            } else {
                try transaction.execute(
                    "UPDATE webhook SET enabled = 0, disabled_reason = 'removed', updated_at = ? WHERE enabled = 1",
                    [now.milliseconds]
                )
            }
            transaction.webhooksChanged()
            transaction.notices.insert(.deliveries)
        }
    }

    /// Takes the oldest due deliveries: they are in flight until they are settled or the service starts anew.
    ///
    /// - Parameter perWebhook: How many may be in flight to one webhook at once, those before included.
    public func claimDeliveries(limit: Int, perWebhook: Int, now: Timestamp) async throws -> [DueDelivery] {
        guard limit > 0 else { return [] }
        return try await writer.write { try $0.claimDeliveries(limit: limit, perWebhook: perWebhook, now: now) }
    }

    /// When the next delivery is due, or nil while none waits.
    public func nextDelivery() async throws -> Timestamp? {
        try await readers.read { database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT d.next_attempt_at FROM delivery d JOIN webhook w ON w.id = d.webhook AND w.enabled = 1
                    WHERE d.state = 'pending' ORDER BY d.next_attempt_at, d.id LIMIT 1
                    """
            )
            return try Int64.fetchOne(statement).map(Timestamp.init(milliseconds:))
        }
    }

    /// Records an attempt and what follows from it.
    public func settleDelivery(_ delivery: DueDelivery, _ attempt: DeliveryAttempt) async throws {
        try await writer.write { try $0.settle(delivery, attempt) }
    }
}

extension Transaction {
    fileprivate func claimDeliveries(limit: Int, perWebhook: Int, now: Timestamp) throws -> [DueDelivery] {
        let statement = try database.cachedStatement(
            sql: """
                WITH due AS (
                    SELECT d.id, d.event, d.webhook, d.attempts, d.next_attempt_at,
                        (SELECT count(*) FROM delivery u WHERE u.webhook = d.webhook AND u.state = 'delivering')
                            AS in_flight
                    FROM delivery d JOIN webhook w ON w.id = d.webhook AND w.enabled = 1
                    WHERE d.state = 'pending' AND d.next_attempt_at <= ?1 AND in_flight < ?2
                    ORDER BY d.next_attempt_at, d.id LIMIT min(?3, ?2)
                ), numbered AS (
                    SELECT *, row_number() OVER (PARTITION BY webhook ORDER BY next_attempt_at, id) AS number FROM due
                )
                SELECT n.id, e.id, n.attempts, e.body, w.id, w.url, w.scheme, w.host, w.port, w.path
                FROM numbered n JOIN webhook w ON w.id = n.webhook JOIN event e ON e.seq = n.event
                WHERE n.in_flight + n.number <= ?2
                ORDER BY n.next_attempt_at, n.id
                """
        )
        let due = try Row.fetchAll(statement, arguments: [now.milliseconds, perWebhook, limit]).map { row in
            var reader = RowReader(row)
            let id: DeliveryID = try reader.id()
            let event: EventID = try reader.id()
            let attempts: Int = try reader.next()
            let body: Data = try reader.next()
            let webhook = try Webhook(id: reader.id(), url: SourceURL(&reader))
            return DueDelivery(id: id, event: event, webhook: webhook, attemptsMade: attempts, body: [UInt8](body))
        }
        for delivery in due {
            try execute(
                "UPDATE delivery SET state = 'delivering', next_attempt_at = NULL WHERE id = ?",
                [delivery.id.text]
            )
        }
        return due
    }

    fileprivate func settle(_ delivery: DueDelivery, _ attempt: DeliveryAttempt) throws {
        let end = attempt.startedAt + attempt.duration
        let number = delivery.attemptsMade + 1
        var nextAttempt: Timestamp?
        let state: DeliveryState
        switch attempt.verdict {
        case .succeeded: state = .succeeded
        case .retry(let time): (state, nextAttempt) = (.pending, time)
        case .exhausted: state = .failed
        case .aborted: state = .aborted
        case .disables(let reason):
            state = .disabled
            try disable(delivery.webhook.id, reason: reason, now: end)
        }
        try execute(
            """
            UPDATE delivery SET state = ?, attempts = ?, next_attempt_at = ?, finished_at = ?
            WHERE id = ? AND state = 'delivering'
            """,
            [
                state.rawValue, number, nextAttempt?.milliseconds,
                nextAttempt == nil ? end.milliseconds : nil, delivery.id.text,
            ]
        )
        // It was purged meanwhile, with its webhook disabled.
        guard database.changesCount == 1 else { return }
        try execute(
            """
            INSERT INTO delivery_attempt
                (delivery, number, at, duration_ms, http_status, error, response_excerpt, next_attempt_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                delivery.id.text, number, attempt.startedAt.milliseconds, attempt.duration.wholeMilliseconds,
                attempt.status, attempt.error, Data(attempt.responseExcerpt), nextAttempt?.milliseconds,
            ]
        )
        notices.insert(.deliveries)
    }

    private func disable(_ webhook: WebhookID, reason: String, now: Timestamp) throws {
        try execute(
            "UPDATE webhook SET enabled = 0, disabled_reason = ?, updated_at = ? WHERE id = ?",
            [reason, now.milliseconds, webhook.text]
        )
        webhooksChanged()
    }
}
