import GRDB
import Model

/// What waits for a receiver that was gone, and is there again.
///
/// It is tried at once, and only once: an attempt before its time is no step of its schedule, and another one follows
/// only after the schedule's next. So what a receiver refuses for ever is tried as long as its schedule says.
extension Transaction {
    /// The attempts in a row that have to fail before a success says that a receiver is there again. One alone may have
    /// failed for what it sent.
    private static let failuresOfOutage = 2
    /// What was tried so short a time ago is not tried again yet: it may be what the receiver refuses.
    private static let recentAttempt = Duration.seconds(5)
    private static let releasedAtOnce = 500

    /// Counts an attempt that succeeded.
    ///
    /// - Returns: When the receiver was there again, while something may be due by that.
    func countSuccess(of webhook: WebhookID, at now: Timestamp) throws -> Timestamp? {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO webhook_record (webhook, succeeded, last_success_at) VALUES (?1, 1, ?2)
                ON CONFLICT (webhook) DO UPDATE SET
                    succeeded = succeeded + 1, last_success_at = ?2, consecutive_failures = 0, window_began_at = NULL,
                    window_failures = 0, failing_since = NULL,
                    backlog_before = iif(consecutive_failures >= ?3, ?2, backlog_before)
                RETURNING backlog_before
                """
        )
        return try Int64.fetchOne(statement, arguments: [webhook.text, now.milliseconds, Self.failuresOfOutage])
            .map(Timestamp.init(milliseconds:))
    }

    /// Makes due what was tried last before its receiver was there again, some of it, but for what was tried a moment
    /// ago.
    ///
    /// - Returns: When there is more to do; nil where there is nothing.
    func releaseBacklog(of webhook: WebhookID, triedBefore end: Timestamp, at now: Timestamp) throws -> Timestamp? {
        let settled = end + Self.recentAttempt
        try execute(
            """
            UPDATE delivery SET planned_at = next_attempt_at, next_attempt_at = ?1 WHERE id IN (
                SELECT id FROM delivery INDEXED BY delivery_due
                WHERE webhook = ?2 AND state = 'pending' AND place IS NOT 'behind' AND next_attempt_at > ?1
                    AND planned_at IS NULL
                    AND EXISTS (
                        SELECT 1 FROM delivery_attempt a
                        WHERE a.delivery = delivery.id AND a.number = delivery.attempts AND a.at <= ?3)
                ORDER BY next_attempt_at LIMIT ?4)
            """,
            [
                now.milliseconds, webhook.text, min(end, now - Self.recentAttempt).milliseconds,
                Self.releasedAtOnce,
            ]
        )
        guard database.changesCount < Self.releasedAtOnce else { return max(settled, now) }
        guard now >= settled else { return settled }
        try execute("UPDATE webhook_record SET backlog_before = NULL WHERE webhook = ?", [webhook.text])
        return nil
    }

    /// Makes due what was tried a moment before its receiver was there again, once that is long enough ago.
    ///
    /// - Returns: When there is more to do; nil where there is nothing.
    func releaseBacklogs(at now: Timestamp) throws -> Timestamp? {
        let rows = try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT webhook, backlog_before FROM webhook_record INDEXED BY webhook_backlog
                    WHERE backlog_before IS NOT NULL ORDER BY backlog_before
                    """
            )
        )
        var next: Timestamp?
        for row in rows {
            var reader = RowReader(row)
            let webhook: WebhookID = try reader.id()
            let end = try reader.time()
            let settled = end + Self.recentAttempt
            let due = settled <= now ? try releaseBacklog(of: webhook, triedBefore: end, at: now) : settled
            if let due { next = min(next ?? due, due) }
        }
        return next
    }

    /// Ends an attempt that came before its time.
    ///
    /// - Returns: When the schedule has the next one; nil where the attempt was a step of it.
    func plannedAttempt(of delivery: DeliveryID, after attempt: DeliveryAttempt) throws -> Timestamp? {
        let statement = try database.cachedStatement(sql: "SELECT planned_at FROM delivery WHERE id = ?")
        let planned = try Int64.fetchOne(statement, arguments: [delivery.text]).map(Timestamp.init(milliseconds:))
        guard let planned, attempt.startedAt < planned else { return nil }
        return planned
    }
}
