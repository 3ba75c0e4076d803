import GRDB
public import Model

extension Store {
    /// Makes deliveries due whose wait began later than now. The clock was set back, so the wait would end too late.
    ///
    /// Each transaction looks at a thousand deliveries.
    public func releaseStalledDeliveries(now: Timestamp) async throws {
        try await writer.write { transaction in
            try transaction.execute(
                "UPDATE webhook_record SET backlog_before = ?1 WHERE backlog_before > ?1",
                [now.milliseconds]
            )
        }
        let webhooks = try await readers.read { try String.fetchAll($0, sql: "SELECT id FROM webhook ORDER BY id") }
        for webhook in webhooks {
            var last: String? = ""
            while let begin = last {
                last = try await writer.write { try $0.releaseStalled(of: webhook, after: begin, now: now) }
            }
        }
    }
}

extension Transaction {
    private static let stalledAtOnce = 1000

    /// - Returns: The last delivery that was looked at; nil where none is left.
    fileprivate func releaseStalled(of webhook: String, after begin: String, now: Timestamp) throws -> String? {
        let looked = try String.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT id FROM delivery INDEXED BY delivery_of_webhook
                    WHERE webhook = ? AND state = 'pending' AND id > ? ORDER BY id LIMIT ?
                    """
            ),
            arguments: [webhook, begin, Self.stalledAtOnce]
        )
        guard let last = looked.last else { return nil }
        // One that was not tried yet waits for nothing. Of the others the last attempt tells when the wait began.
        try execute(
            """
            UPDATE delivery SET next_attempt_at = ?1, planned_at = NULL
            WHERE id IN (
                SELECT id FROM delivery INDEXED BY delivery_of_webhook
                WHERE webhook = ?2 AND state = 'pending' AND id > ?3 AND id <= ?4)
            AND next_attempt_at > ?1 AND (attempts = schedule_from OR EXISTS (
                SELECT 1 FROM delivery_attempt a
                WHERE a.delivery = delivery.id AND a.number = delivery.attempts AND a.at > ?1))
            """,
            [now.milliseconds, webhook, begin, last]
        )
        return looked.count == Self.stalledAtOnce ? last : nil
    }
}
