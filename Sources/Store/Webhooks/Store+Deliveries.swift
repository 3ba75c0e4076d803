public import Core

extension Store {
    /// Claims due deliveries, the oldest of each webhook, the webhooks in turn. They are in flight until they are
    /// settled or their node is lost.
    ///
    /// - Parameters:
    ///   - node: The claiming node.
    ///   - sent: Deliveries to settle first in the same transaction, as ``recordDelivery(_:)`` does.
    public func claimDeliveries(
        _ slots: DeliverySlots,
        node: String,
        recording sent: [SentDelivery] = [],
        now: Timestamp
    ) async throws -> ClaimedDeliveries {
        guard slots.free > 0 || !sent.isEmpty else { return ClaimedDeliveries() }
        let begin = deliveryCursor.last
        let (claim, last) = try await writer.write { transaction in
            var disablings: [DeliveryID: DisablingReason] = [:]
            for sent in sent { disablings[sent.delivery.id] = try transaction.record(sent) }
            var selection = DeliverySelection(transaction, slots, node: node, now: now)
            try selection.run(after: begin)
            var claim = selection.claim
            claim.disablings = disablings
            return (claim, selection.last)
        }
        if let last { deliveryCursor.last = last }
        return claim
    }

    /// Makes deliveries due that lost nodes had in flight, because it is unknown whether they arrived.
    public func recoverDeliveries(after lost: LostNodes, now: Timestamp) async throws {
        try await writer.write { transaction in
            let recovered = Statement(
                """
                UPDATE delivery SET state = 'pending', node = NULL, next_attempt_at = ?
                WHERE webhook IN (SELECT id FROM webhook) AND state = 'delivering' AND
                """,
                [now]
            )
            try transaction.database.execute(recovered + lost.condition("node"))
            transaction.notices.insert(.deliveries)
        }
    }

    /// Records an attempt and its consequences.
    ///
    /// - Returns: The reason if the attempt disabled the webhook; nil otherwise.
    @discardableResult
    public func recordDelivery(_ sent: SentDelivery) async throws -> DisablingReason? {
        try await writer.write { try $0.record(sent) }
    }
}

extension Transaction {
    fileprivate func record(_ sent: SentDelivery) throws -> DisablingReason? {
        let (delivery, attempt) = (sent.delivery, sent.attempt)
        // The delivery was purged in the meantime, with its webhook, or another node has taken it over.
        guard let webhook = try webhook(delivery.webhook.id), try isInFlight(delivery) else { return nil }
        let reason = try account(sent.result, at: attempt.end, of: webhook)
        var isEnabled = webhook.isEnabled
        if let reason, isEnabled {
            let disabled = try disable(webhook, reason, at: attempt.end)
            // The webhook of a `callback_url` belongs to its download only.
            if webhook.createdBy != .callback { try record(disabled: disabled, at: attempt.end) }
            isEnabled = false
        }
        let planned = try plannedAttempt(of: delivery.id, after: attempt)
        let (state, nextAttempt) = sent.result.outcome(isEnabled: isEnabled, planned: planned)
        try keepOrder(of: delivery, isOpen: nextAttempt != nil, at: attempt.end)
        try execute(
            """
            UPDATE delivery SET state = ?, node = NULL, attempts = ?, schedule_from = schedule_from + ?,
                next_attempt_at = ?, planned_at = ?, finished_at = ?
            WHERE id = ?
            """,
            [
                state, delivery.attemptsLogged + 1, planned == nil ? 0 : 1, nextAttempt,
                nextAttempt.flatMap { _ in planned }, nextAttempt == nil ? attempt.end : nil, delivery.id,
            ]
        )
        try log(attempt, of: delivery, nextAttempt)
        notices.insert(.attempts)
        return webhook.isEnabled ? reason : nil
    }

    /// Whether the claim of the delivery is still valid.
    private func isInFlight(_ delivery: DueDelivery) throws -> Bool {
        try database.exists(
            "SELECT 1 FROM delivery WHERE id = ? AND state = 'delivering' AND node = ? AND attempts = ?",
            [delivery.id, delivery.node, delivery.attemptsLogged]
        )
    }

    /// Records an attempt in the health of its webhook.
    ///
    /// - Returns: The reason to disable the webhook; nil if it stays enabled.
    private func account(
        _ result: DeliveryAttempt.Result,
        at end: Timestamp,
        of webhook: Webhook
    ) throws -> DisablingReason? {
        switch result {
        case .succeeded:
            let before = try countSuccess(of: webhook.id, at: end)
            if let before { _ = try releaseBacklog(of: webhook.id, triedBefore: before, at: end) }
            return nil
        case .aborted:
            // A receiver that responds is reachable.
            try countFailure(of: webhook.id, WebhookHealth(), at: end)
            return nil
        case .retry, .exhausted, .disables:
            var health = try health(of: webhook.id)
            let isGivenUp = health.recordFailure(at: end)
            try countFailure(of: webhook.id, health, at: end)
            if case .disables(let reason) = result { return reason }
            return isGivenUp ? .failing : nil
        }
    }

    private func health(of webhook: WebhookID) throws -> WebhookHealth {
        let statement = "SELECT \(WebhookHealth.columnList) FROM webhook_record WHERE webhook = ?"
        return try database.values(WebhookHealth.self, statement, [webhook]).first ?? WebhookHealth()
    }

    private func countFailure(of webhook: WebhookID, _ health: WebhookHealth, at now: Timestamp) throws {
        try execute(
            """
            INSERT INTO webhook_record (
                webhook, failed, last_failure_at, consecutive_failures, window_began_at, window_failures, failing_since)
            VALUES (?1, 1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (webhook) DO UPDATE SET
                failed = webhook_record.failed + 1, last_failure_at = ?2, consecutive_failures = ?3,
                window_began_at = ?4, window_failures = ?5, failing_since = ?6
            """,
            [
                webhook, now, health.consecutiveFailures, health.windowBeganAt, health.windowFailures,
                health.failingSince,
            ]
        )
    }

    /// Releases the deliveries behind this one if it has ended, or has failed long enough.
    private func keepOrder(of delivery: DueDelivery, isOpen: Bool, at now: Timestamp) throws {
        guard let session = delivery.leads else { return }
        if isOpen {
            let blocks = try database.first(
                Timestamp.self,
                """
                UPDATE delivery SET blocks_until = coalesce(blocks_until, ?) WHERE id = ? AND place = 'head'
                RETURNING blocks_until
                """,
                [now + DeliverySchedule.longestBlock, delivery.id]
            )
            guard let blocks, now >= blocks else { return }
        }
        try passHead(delivery.id, of: delivery.webhook.id, session)
    }

    private func log(_ attempt: DeliveryAttempt, of delivery: DueDelivery, _ nextAttempt: Timestamp?) throws {
        let logged = LoggedDeliveryAttempt(number: delivery.attemptsLogged + 1, attempt, nextAttemptAt: nextAttempt)
        try database.write(LoggedDeliveryAttempt.insertion) { writer in
            logged.write(to: &writer)
            writer.add(delivery.id)
        }
    }
}

extension DeliveryAttempt.Result {
    /// The new state of the delivery, and the time of its next attempt.
    ///
    /// - Parameters:
    ///   - isEnabled: Whether its webhook is enabled.
    ///   - planned: The next attempt of the schedule if this one was early; nil otherwise.
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

extension Store {
    /// Makes deliveries due whose wait began later than now. The clock was set back, so the wait would end too late.
    ///
    /// Each transaction reads a thousand deliveries.
    public func releaseStalledDeliveries(now: Timestamp) async throws {
        try await writer.write { transaction in
            try transaction.execute(
                "UPDATE webhook_record SET backlog_before = ?1 WHERE backlog_before > ?1",
                [now]
            )
        }
        let webhooks = try await readers.read { try $0.all(String.self, "SELECT id FROM webhook ORDER BY id") }
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

    /// - Returns: The last delivery that was examined; nil if none is left.
    fileprivate func releaseStalled(of webhook: String, after begin: String, now: Timestamp) throws -> String? {
        let looked = try database.all(
            String.self,
            """
            SELECT id FROM delivery {index delivery_of_webhook}
            WHERE webhook = ? AND state = 'pending' AND id > ? ORDER BY id LIMIT ?
            """,
            [webhook, begin, Self.stalledAtOnce]
        )
        guard let last = looked.last else { return nil }
        // A delivery without an attempt does not wait. For the others the wait began at the last attempt.
        try execute(
            """
            UPDATE delivery SET next_attempt_at = ?1, planned_at = NULL
            WHERE id IN (
                SELECT id FROM delivery {index delivery_of_webhook}
                WHERE webhook = ?2 AND state = 'pending' AND id > ?3 AND id <= ?4)
            AND next_attempt_at > ?1 AND (attempts = schedule_from OR EXISTS (
                SELECT 1 FROM delivery_attempt a
                WHERE a.delivery = delivery.id AND a.number = delivery.attempts AND a.at > ?1))
            """,
            [now, webhook, begin, last]
        )
        return looked.count == Self.stalledAtOnce ? last : nil
    }
}
