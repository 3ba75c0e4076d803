import Foundation
import GRDB
public import Model

extension Store {
    /// Takes due deliveries, the oldest of each webhook, the webhooks in turn: they are in flight until they are
    /// settled or the service starts anew.
    ///
    /// - Parameter sent: Settled in the same change, each as ``settleDelivery(_:)`` does, before anything is claimed.
    public func claimDeliveries(
        _ slots: DeliverySlots,
        settling sent: [SentDelivery] = [],
        now: Timestamp
    ) async throws -> DeliveryClaim {
        guard slots.free > 0 || !sent.isEmpty else { return DeliveryClaim() }
        let begin = deliveryTurns.last
        let (claim, last) = try await writer.write { transaction in
            var disablings: [DeliveryID: DisablingReason] = [:]
            for sent in sent { disablings[sent.delivery.id] = try transaction.settle(sent) }
            var walk = DeliveryWalk(transaction, slots, now: now)
            try walk.run(after: begin)
            var claim = walk.claim
            claim.disablings = disablings
            return (claim, walk.last)
        }
        if let last { deliveryTurns.last = last }
        return claim
    }

    /// Makes due again what an earlier process was delivering, since nobody knows whether it arrived.
    ///
    /// Whoever claims deliveries calls it before the first claim: afterwards it would take back claims of this process.
    public func recoverDeliveries(now: Timestamp) async throws {
        try await writer.write { transaction in
            try transaction.execute(
                """
                UPDATE delivery SET state = 'pending', next_attempt_at = ?
                WHERE webhook IN (SELECT id FROM webhook) AND state = 'delivering'
                """,
                [now.milliseconds]
            )
            transaction.notices.insert(.deliveries)
        }
    }

    /// Records an attempt and what follows from it.
    ///
    /// - Returns: Why the webhook was disabled by it; nil where it was not.
    @discardableResult
    public func settleDelivery(_ sent: SentDelivery) async throws -> DisablingReason? {
        try await writer.write { try $0.settle(sent) }
    }
}

extension Transaction {
    fileprivate func settle(_ sent: SentDelivery) throws -> DisablingReason? {
        let (delivery, attempt) = (sent.delivery, sent.attempt)
        // It was purged meanwhile, with its webhook.
        guard let webhook = try webhook(delivery.webhook.id), try isUnderWay(delivery.id) else { return nil }
        let reason = try account(attempt, of: webhook)
        var isEnabled = webhook.isEnabled
        if let reason, isEnabled {
            let disabled = try disable(webhook, reason, at: attempt.end)
            // One that a callback URL made is nobody's but its download's.
            if webhook.origin != .callback { try record(disabled: disabled, at: attempt.end) }
            isEnabled = false
        }
        let planned = try plannedAttempt(of: delivery.id, after: attempt)
        let (state, nextAttempt) = attempt.verdict.outcome(isEnabled: isEnabled, planned: planned)
        try keepOrder(of: delivery, isOpen: nextAttempt != nil, at: attempt.end)
        try execute(
            """
            UPDATE delivery SET state = ?, attempts = ?, schedule_from = schedule_from + ?, next_attempt_at = ?,
                planned_at = ?, finished_at = ?
            WHERE id = ?
            """,
            [
                state.rawValue, delivery.attemptsLogged + 1, planned == nil ? 0 : 1, nextAttempt?.milliseconds,
                nextAttempt.flatMap { _ in planned?.milliseconds }, nextAttempt == nil ? attempt.end.milliseconds : nil,
                delivery.id.text,
            ]
        )
        try log(attempt, of: delivery, nextAttempt)
        notices.insert(.attempts)
        return webhook.isEnabled ? reason : nil
    }

    private func isUnderWay(_ id: DeliveryID) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT 1 FROM delivery WHERE id = ? AND state = 'delivering'"
        )
        return try Int.fetchOne(statement, arguments: [id.text]) != nil
    }

    /// Counts an attempt for its webhook.
    ///
    /// - Returns: Why the webhook is to be disabled; nil where it is not.
    private func account(_ attempt: DeliveryAttempt, of webhook: Webhook) throws -> DisablingReason? {
        switch attempt.verdict {
        case .succeeded:
            let before = try countSuccess(of: webhook.id, at: attempt.end)
            if let before { _ = try releaseBacklog(of: webhook.id, triedBefore: before, at: attempt.end) }
            return nil
        case .aborted:
            // Whoever says so is there.
            try countFailure(of: webhook.id, WebhookHealth(), at: attempt.end)
            return nil
        case .retry, .exhausted, .disables:
            var health = try health(of: webhook.id)
            let isGivenUp = health.noteFailure(at: attempt.end)
            try countFailure(of: webhook.id, health, at: attempt.end)
            if case .disables(let reason) = attempt.verdict { return reason }
            return isGivenUp ? .failing : nil
        }
    }

    private func health(of webhook: WebhookID) throws -> WebhookHealth {
        let row = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT consecutive_failures, window_began_at, window_failures, failing_since
                    FROM webhook_record WHERE webhook = ?
                    """
            ),
            arguments: [webhook.text]
        )
        guard let row else { return WebhookHealth() }
        var reader = RowReader(row)
        return try WebhookHealth(&reader)
    }

    private func countFailure(of webhook: WebhookID, _ health: WebhookHealth, at now: Timestamp) throws {
        try execute(
            """
            INSERT INTO webhook_record (
                webhook, failed, last_failure_at, consecutive_failures, window_began_at, window_failures, failing_since)
            VALUES (?1, 1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (webhook) DO UPDATE SET
                failed = failed + 1, last_failure_at = ?2, consecutive_failures = ?3, window_began_at = ?4,
                window_failures = ?5, failing_since = ?6
            """,
            [
                webhook.text, now.milliseconds, health.consecutiveFailures, health.windowBeganAt?.milliseconds,
                health.windowFailures, health.failingSince?.milliseconds,
            ]
        )
    }

    /// Lets those that wait for a delivery go on once it is done, or has failed for long enough.
    private func keepOrder(of delivery: DueDelivery, isOpen: Bool, at now: Timestamp) throws {
        guard let session = delivery.leads else { return }
        if isOpen {
            let statement = try database.cachedStatement(
                sql: """
                    UPDATE delivery SET blocks_until = coalesce(blocks_until, ?) WHERE id = ? AND place = 'head'
                    RETURNING blocks_until
                    """
            )
            let end = now + DeliverySchedule.longestBlock
            let blocks = try Int64.fetchOne(statement, arguments: [end.milliseconds, delivery.id.text])
            guard let blocks, now.milliseconds >= blocks else { return }
        }
        try passHead(delivery.id, of: delivery.webhook.id, session)
    }

    private func log(_ attempt: DeliveryAttempt, of delivery: DueDelivery, _ nextAttempt: Timestamp?) throws {
        try execute(
            """
            INSERT INTO delivery_attempt (
                delivery, number, at, request_fields, duration_ms, http_status, error, response_excerpt, remote_address,
                next_attempt_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        ) { writer in
            writer.add(delivery.id.text)
            writer.add(delivery.attemptsLogged + 1)
            writer.add(attempt.startedAt.milliseconds)
            writer.add(attempt.fields.column)
            writer.add(attempt.duration.wholeMilliseconds)
            writer.add(attempt.status)
            writer.add(attempt.error)
            writer.add(attempt.responseExcerpt.isEmpty ? nil : Data(attempt.responseExcerpt))
            writer.add(attempt.remoteAddress)
            writer.add(nextAttempt?.milliseconds)
        }
    }
}

extension DeliveryAttempt.Verdict {
    /// The state of the delivery, and when it is tried again.
    ///
    /// - Parameters:
    ///   - isEnabled: Whether its webhook receives anything now.
    ///   - planned: When its schedule has the next attempt, where this one came before its time.
    fileprivate func outcome(isEnabled: Bool, planned: Timestamp?) -> (DeliveryState, next: Timestamp?) {
        switch self {
        case .succeeded: (.succeeded, nil)
        case .retry(let time): isEnabled ? (.pending, planned ?? time) : (.disabled, nil)
        case .exhausted:
            if let planned { isEnabled ? (.pending, planned) : (.disabled, nil) } else { (.failed, nil) }
        case .aborted: (.aborted, nil)
        case .disables: (.disabled, nil)
        }
    }
}
