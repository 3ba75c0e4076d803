public import Core

/// The result of a request to send a delivery again, or a test event.
public enum Redelivery: Sendable {
    case scheduled(Delivery)
    case notFound
    /// The webhook is disabled.
    case disabled

    fileprivate var delivery: Delivery? {
        guard case .scheduled(let delivery) = self else { return nil }
        return delivery
    }
}

extension Store {
    /// The deliveries of a webhook, newest first; only those created before `id` if it is given.
    public func deliveries(
        of webhook: WebhookID,
        _ filter: DeliveryFilter,
        before id: DeliveryID?,
        limit: Int
    ) async throws -> [Delivery] {
        let states = filter.states.isEmpty ? DeliveryState.allCases : filter.states
        let types = filter.types.map { SQLValue.texts($0.map(\.rawValue)) }
        let isOfType = types == nil ? "" : "AND event.type {in ?}"
        // Ids sort by the time of their event.
        let first = filter.since.map { DeliveryID(first: $0).text } ?? ""
        let end = min(id?.text ?? Self.lastID, filter.until.map { DeliveryID(first: $0).text } ?? Self.lastID)
        // Each state is one indexed query. All use one snapshot: otherwise a delivery that changes state could appear
        // twice or not at all.
        return try await readers.readSnapshot { database in
            let pages = try Set(states).flatMap { state in
                try database.deliveries(
                    """
                    delivery.webhook = ? AND delivery.state = ? AND delivery.id >= ? AND delivery.id < ? \(isOfType)
                    ORDER BY delivery.id DESC LIMIT ?
                    """,
                    [webhook, state, first, end] + (types.map { [$0] } ?? []) + [limit]
                )
            }
            return Array(pages.sorted { $0.id.text > $1.id.text }.prefix(limit))
        }
    }

    /// Sorts after every id.
    private static let lastID = "dlv_~"

    /// A delivery of a webhook with its newest hundred attempts.
    public func delivery(_ id: DeliveryID, of webhook: WebhookID) async throws -> DeliveryDetail? {
        try await readers.readSnapshot { database in
            guard let delivery = try database.delivery(id, of: webhook) else { return nil }
            return try DeliveryDetail(
                delivery: delivery,
                body: database.body(of: id),
                attempts: database.attempts(of: id)
            )
        }
    }

    /// Sends a delivery again like a new one: now, and with retries.
    public func redeliver(
        _ id: DeliveryID,
        of webhook: WebhookID,
        replay: IdempotentOperation<Delivery>? = nil,
        now: Timestamp
    ) async throws -> IdempotentResult<Redelivery> {
        try await writer.write { transaction in
            try transaction.once(replay, now: now) {
                guard try transaction.database.delivery(id, of: webhook) != nil else { return .notFound }
                guard try transaction.webhook(webhook)?.isEnabled == true else { return .disabled }
                try transaction.schedule("id = ? AND state <> 'delivering'", [id], at: now)
                return try transaction.database.delivery(id, of: webhook).map { .scheduled($0) } ?? .notFound
            } keeping: {
                $0.delivery
            }
        }
    }

    /// Schedules ended deliveries again, or makes pending ones due now; at most `limit` of them. A delivery that waits
    /// for an earlier one of its session keeps waiting.
    ///
    /// - Parameters:
    ///   - times: The time range of the events.
    /// - Returns: The number of deliveries; nil if the webhook is disabled.
    public func recoverDeliveries(
        of webhook: WebhookID,
        _ state: DeliveryState,
        _ times: Range<Timestamp>,
        limit: Int,
        now: Timestamp
    ) async throws -> Int? {
        try await writer.write { transaction in
            guard try transaction.webhook(webhook)?.isEnabled == true else { return nil }
            let ids = (DeliveryID(first: times.lowerBound).text, DeliveryID(first: times.upperBound).text)
            guard state != .pending else {
                return try transaction.schedule(
                    """
                    id IN (SELECT id FROM delivery {index delivery_due}
                        WHERE webhook = ? AND state = 'pending' AND place {is not} 'behind' AND next_attempt_at > ?
                            AND id >= ? AND id < ? LIMIT ?)
                    """,
                    [webhook, now, ids.0, ids.1, limit],
                    at: now
                )
            }
            return try transaction.schedule(
                """
                id IN (SELECT id FROM delivery WHERE webhook = ? AND state = ? AND id >= ? AND id < ?
                    ORDER BY id LIMIT ?)
                """,
                [webhook, state, ids.0, ids.1, limit],
                at: now
            )
        }
    }

    /// Sends a test event to a webhook.
    public func ping(
        _ webhook: WebhookID,
        replay: IdempotentOperation<Delivery>? = nil,
        now: Timestamp
    ) async throws -> IdempotentResult<Redelivery> {
        try await writer.write { transaction in
            try transaction.once(replay, now: now) {
                guard let current = try transaction.webhook(webhook) else { return .notFound }
                guard current.isEnabled else { return .disabled }
                let id = try transaction.recordPing(of: current, at: now)
                return try transaction.database.delivery(id, of: webhook).map { .scheduled($0) } ?? .notFound
            } keeping: {
                $0.delivery
            }
        }
    }
}

extension Transaction {
    /// Makes deliveries due with a new schedule. The head of a session stays the head. The others are sent regardless
    /// of the order.
    @discardableResult
    fileprivate func schedule(_ condition: String, _ values: [any ParameterValue], at now: Timestamp) throws -> Int {
        let count = try execute(
            """
            UPDATE delivery SET
                state = 'pending', next_attempt_at = ?, planned_at = NULL, finished_at = NULL, schedule_from = attempts,
                session = CASE WHEN place = 'head' THEN session ELSE NULL END,
                place = CASE WHEN place = 'head' THEN place ELSE NULL END
            WHERE \(condition)
            """,
            [now] + values
        )
        notices.insert(.deliveries)
        return count
    }
}

extension Database {
    fileprivate func deliveries(_ condition: String, _ values: [any ParameterValue]) throws -> [Delivery] {
        try self.values(
            Delivery.self,
            """
            SELECT \(Delivery.columnList) FROM delivery JOIN event ON event.seq = delivery.event WHERE \(condition)
            """,
            values
        )
    }

    fileprivate func delivery(_ id: DeliveryID, of webhook: WebhookID) throws -> Delivery? {
        try deliveries("delivery.id = ? AND delivery.webhook = ?", [id, webhook]).first
    }

    fileprivate func body(of id: DeliveryID) throws -> [UInt8] {
        try first(
            Blob.self,
            """
            SELECT coalesce(delivery_body.body, event.body)
            FROM delivery JOIN event ON event.seq = delivery.event
            LEFT JOIN delivery_body ON delivery_body.delivery = delivery.id WHERE delivery.id = ?
            """,
            [id]
        )?.bytes ?? []
    }

    fileprivate func attempts(of id: DeliveryID) throws -> [LoggedDeliveryAttempt] {
        try values(
            LoggedDeliveryAttempt.self,
            """
            SELECT \(LoggedDeliveryAttempt.columnList) FROM delivery_attempt
            WHERE delivery = ? ORDER BY number DESC LIMIT 100
            """,
            [id]
        ).reversed()
    }
}
