import GRDB
import Model

/// The deliveries that wait for a receiver that was unreachable and answers again.
extension Transaction {
    /// The attempts in a row that have to fail before a success says that a receiver is there again. One alone may have
    /// failed for what it sent.
    private static let failuresOfOutage = 2
    /// A delivery that was tried this recently keeps to its schedule: the receiver may refuse that one event.
    private static let recentAttempt = Duration.seconds(5)
    private static let releasedAtOnce = 500

    /// Counts an attempt that succeeded.
    ///
    /// - Returns: An instant: deliveries that were tried last before it are due now. nil where none becomes due.
    func countSuccess(of webhook: WebhookID, at now: Timestamp) throws -> Timestamp? {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO webhook_record (webhook, succeeded, last_success_at) VALUES (?1, 1, ?2)
                ON CONFLICT (webhook) DO UPDATE SET
                    succeeded = succeeded + 1, last_success_at = ?2, consecutive_failures = 0, window_began_at = NULL,
                    window_failures = 0, failing_since = NULL,
                    backlog_before = iif(consecutive_failures >= ?3, ?4, backlog_before)
                RETURNING backlog_before
                """
        )
        let before = now - Self.recentAttempt
        return try Int64.fetchOne(
            statement,
            arguments: [webhook.text, now.milliseconds, Self.failuresOfOutage, before.milliseconds]
        ).map(Timestamp.init(milliseconds:))
    }

    /// Makes some of the deliveries due that were tried last before an instant. The next success continues with the
    /// others. Each attempt counts in its schedule as usual.
    func releaseBacklog(of webhook: WebhookID, triedBefore time: Timestamp, at now: Timestamp) throws {
        try execute(
            """
            UPDATE delivery SET next_attempt_at = ?1 WHERE id IN (
                SELECT id FROM delivery INDEXED BY delivery_due
                WHERE webhook = ?2 AND state = 'pending' AND place IS NOT 'behind' AND next_attempt_at > ?1
                    AND EXISTS (
                        SELECT 1 FROM delivery_attempt a
                        WHERE a.delivery = delivery.id AND a.number = delivery.attempts AND a.at <= ?3)
                ORDER BY next_attempt_at LIMIT ?4)
            """,
            [now.milliseconds, webhook.text, time.milliseconds, Self.releasedAtOnce]
        )
        guard database.changesCount < Self.releasedAtOnce else { return }
        try execute("UPDATE webhook_record SET backlog_before = NULL WHERE webhook = ?", [webhook.text])
    }
}
