import Foundation
import GRDB
public import Model

/// What became of a request to send something to a webhook.
public enum Redelivery: Sendable {
    case scheduled(Delivery)
    case notFound
    /// Its webhook receives nothing now.
    case disabled

    fileprivate var delivery: Delivery? {
        guard case .scheduled(let delivery) = self else { return nil }
        return delivery
    }
}

extension Store {
    /// The deliveries of a webhook, the newest first, those made before `id` if one is given.
    public func deliveries(
        of webhook: WebhookID,
        _ filter: DeliveryFilter,
        before id: DeliveryID?,
        limit: Int
    ) async throws -> [Delivery] {
        let states = filter.states.isEmpty ? DeliveryState.allCases : filter.states
        let types = filter.types.map { $0.map(\.rawValue) }
        let isOfType = types.map { "AND event.type IN (\($0.map { _ in "?" }.joined(separator: ", ")))" } ?? ""
        // Ids order by time: that of the event.
        let first = filter.since.map { DeliveryID(first: $0).text } ?? ""
        let end = min(id?.text ?? Self.lastID, filter.until.map { DeliveryID(first: $0).text } ?? Self.lastID)
        // Each state is an indexed walk; on one snapshot, or one that changes state would be shown twice or not at all.
        return try await readers.readSnapshot { database in
            let pages = try Set(states).flatMap { state in
                try database.deliveries(
                    """
                    delivery.webhook = ? AND delivery.state = ? AND delivery.id >= ? AND delivery.id < ? \(isOfType)
                    ORDER BY delivery.id DESC LIMIT ?
                    """,
                    [webhook.text, state.rawValue, first, end] + (types ?? []) + [limit]
                )
            }
            return Array(pages.sorted { $0.id.text > $1.id.text }.prefix(limit))
        }
    }

    /// Behind every id.
    private static let lastID = "dlv_~"

    /// A delivery of a webhook with all that is recorded of it: its newest hundred attempts.
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

    /// Lets a delivery be sent once more, as if it were new: now, and again where that fails.
    public func redeliver(
        _ id: DeliveryID,
        of webhook: WebhookID,
        replay: Replay<Delivery>? = nil,
        now: Timestamp
    ) async throws -> Once<Redelivery> {
        try await writer.write { transaction in
            try transaction.once(replay, now: now) {
                guard try transaction.database.delivery(id, of: webhook) != nil else { return .notFound }
                guard try transaction.webhook(webhook)?.isEnabled == true else { return .disabled }
                try transaction.schedule("id = ? AND state <> 'delivering'", [id.text], at: now)
                return try transaction.database.delivery(id, of: webhook).map { .scheduled($0) } ?? .notFound
            } keeping: {
                $0.delivery
            }
        }
    }

    /// Schedules deliveries that have ended once more, or makes pending ones due now; at most `limit` of them. A
    /// delivery that waits for an earlier one of its session keeps waiting.
    ///
    /// - Parameters:
    ///   - times: When their events happened.
    /// - Returns: How many; nil where the webhook receives nothing now.
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
                    id IN (SELECT id FROM delivery INDEXED BY delivery_due
                        WHERE webhook = ? AND state = 'pending' AND place IS NOT 'behind' AND next_attempt_at > ?
                            AND id >= ? AND id < ? LIMIT ?)
                    """,
                    [webhook.text, now.milliseconds, ids.0, ids.1, limit],
                    at: now
                )
            }
            return try transaction.schedule(
                """
                id IN (SELECT id FROM delivery WHERE webhook = ? AND state = ? AND id >= ? AND id < ?
                    ORDER BY id LIMIT ?)
                """,
                [webhook.text, state.rawValue, ids.0, ids.1, limit],
                at: now
            )
        }
    }

    /// Lets a webhook be sent an event that says nothing, to try it out.
    public func ping(
        _ webhook: WebhookID,
        replay: Replay<Delivery>? = nil,
        now: Timestamp
    ) async throws -> Once<Redelivery> {
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
    /// Makes deliveries due with a schedule that begins anew. The head of its session stays that; any other is sent
    /// without regard to the order.
    @discardableResult
    fileprivate func schedule(
        _ condition: String,
        _ values: [(any DatabaseValueConvertible)?],
        at now: Timestamp
    ) throws -> Int {
        try execute(
            """
            UPDATE delivery SET
                state = 'pending', next_attempt_at = ?, planned_at = NULL, finished_at = NULL, schedule_from = attempts,
                session = iif(place = 'head', session, NULL), place = iif(place = 'head', place, NULL)
            WHERE \(condition)
            """,
            [now.milliseconds] + values
        )
        notices.insert(.deliveries)
        return database.changesCount
    }
}

extension Database {
    fileprivate func deliveries(
        _ condition: String,
        _ values: [(any DatabaseValueConvertible)?]
    ) throws -> [Delivery] {
        let statement = try cachedStatement(
            sql: """
                SELECT delivery.id, delivery.webhook, event.id, event.type, event.seq, event.at, delivery.state,
                    delivery.attempts, delivery.next_attempt_at, delivery.finished_at
                FROM delivery JOIN event ON event.seq = delivery.event WHERE \(condition)
                """
        )
        return try Row.fetchAll(statement, arguments: StatementArguments(values)).map { row in
            var reader = RowReader(row)
            return try Delivery(
                id: reader.id(),
                webhook: reader.id(),
                event: reader.id(),
                eventType: reader.word(),
                sequence: reader.next(),
                eventAt: reader.time(),
                state: reader.word(),
                attempts: reader.next(),
                nextAttemptAt: reader.optionalTime(),
                finishedAt: reader.optionalTime()
            )
        }
    }

    fileprivate func delivery(_ id: DeliveryID, of webhook: WebhookID) throws -> Delivery? {
        try deliveries("delivery.id = ? AND delivery.webhook = ?", [id.text, webhook.text]).first
    }

    fileprivate func body(of id: DeliveryID) throws -> [UInt8] {
        let statement = try cachedStatement(
            sql: """
                SELECT coalesce(delivery_body.body, event.body)
                FROM delivery JOIN event ON event.seq = delivery.event
                LEFT JOIN delivery_body ON delivery_body.delivery = delivery.id WHERE delivery.id = ?
                """
        )
        return [UInt8](try Data.fetchOne(statement, arguments: [id.text]) ?? Data())
    }

    fileprivate func attempts(of id: DeliveryID) throws -> [LoggedDeliveryAttempt] {
        let statement = try cachedStatement(
            sql: """
                SELECT number, at, request_fields, duration_ms, http_status, error, response_excerpt, next_attempt_at,
                    remote_address
                FROM delivery_attempt WHERE delivery = ? ORDER BY number DESC LIMIT 100
                """
        )
        let rows = try Row.fetchAll(statement, arguments: [id.text])
        return try rows.reversed().map { row in
            var reader = RowReader(row)
            return try LoggedDeliveryAttempt(
                number: reader.next(),
                at: reader.time(),
                fields: [DeliveryAttempt.Field](column: reader.optional()),
                durationMilliseconds: reader.next(),
                status: reader.optional(),
                error: reader.optional(),
                responseExcerpt: reader.optional(Data.self).map { [UInt8]($0) } ?? [],
                nextAttemptAt: reader.optionalTime(),
                remoteAddress: reader.optional()
            )
        }
    }
}

extension [DeliveryAttempt.Field] {
    /// Fields as one column, one a line: neither a name nor a value has a line break in it.
    init(column: String?) {
        self = [String](column: column).map { line in
            let name = line.prefix { $0 != ":" }
            return DeliveryAttempt.Field(name: String(name), value: String(line.dropFirst(name.count + 2)))
        }
    }

    var column: String? { map { "\($0.name): \($0.value)" }.column }
}
