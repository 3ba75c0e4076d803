public import Core
import Store

extension WebhookService {
    /// The number of deliveries that one transaction recovers.
    private static let recoveredAtOnce = 500

    /// The deliveries of a webhook, newest first; only those created before `id` if it is given.
    public func deliveries(
        of webhook: WebhookID,
        _ filter: DeliveryFilter,
        before id: DeliveryID?,
        limit: Int
    ) async throws -> [Delivery] {
        _ = try await self.webhook(webhook)
        return try await store.deliveries(of: webhook, filter, before: id, limit: limit)
    }

    public func delivery(_ id: DeliveryID, of webhook: WebhookID) async throws -> DeliveryDetail {
        _ = try await self.webhook(webhook)
        guard let detail = try await store.delivery(id, of: webhook) else {
            throw ServiceError.notFound
        }
        return detail
    }

    /// Sends a delivery again, in any state.
    public func redeliver(
        _ id: DeliveryID,
        of webhook: WebhookID,
        replay: IdempotentOperation<Delivery>? = nil
    ) async throws -> IdempotentResult<Delivery> {
        _ = try await self.webhook(webhook)
        let now = time.now
        let outcome = try await store.redeliver(id, of: webhook, replay: replay, now: now)
        return try outcome.map(scheduled)
    }

    /// Sends a webhook a test event.
    public func ping(
        _ webhook: WebhookID,
        replay: IdempotentOperation<Delivery>? = nil
    ) async throws -> IdempotentResult<Delivery> {
        _ = try await self.webhook(webhook)
        let now = time.now
        let outcome = try await store.ping(webhook, replay: replay, now: now)
        return try outcome.map(scheduled)
    }

    /// Sends all deliveries again that were not accepted, and pending ones now.
    ///
    /// - Parameters:
    ///   - since: The start of the time range of their events.
    ///   - until: The end of the time range, exclusive; nil for now.
    /// - Returns: The number of deliveries.
    public func recover(
        _ webhook: WebhookID,
        _ states: [DeliveryState],
        since: Timestamp,
        until: Timestamp?,
        replay: IdempotentOperation<Int>? = nil
    ) async throws -> IdempotentResult<Int> {
        _ = try await self.webhook(webhook)
        let now = time.now
        guard since >= now - retention else {
            let detail = "Deliveries of that time are no longer stored."
            throw ServiceError.unprocessable([Violation("/created_after", .malformed, detail)])
        }
        let end = min(until ?? now, now) + .milliseconds(until == nil ? 1 : 0)
        guard since < end else {
            throw ServiceError.unprocessable([
                Violation("/created_after", .malformed, "Expected an instant before created_before.")
            ]
            )
        }
        let recovered = try await recover(webhook, states, since..<end, now: now)
        guard let replay else { return .done(recovered) }
        // The request takes several transactions, and the response is stored after the last one. If the process ends
        // earlier, a repeated request completes the rest.
        let result = try await store.storeResponse(replay.response(recovered), to: replay.request, now: now)
        return result.map { recovered }
    }

    private func recover(
        _ webhook: WebhookID,
        _ states: [DeliveryState],
        _ times: Range<Timestamp>,
        now: Timestamp
    ) async throws -> Int {
        var count = 0
        for state in states {
            var more = Self.recoveredAtOnce
            while more == Self.recoveredAtOnce {
                let scheduled = try await store.recoverDeliveries(
                    of: webhook,
                    state,
                    times,
                    limit: Self.recoveredAtOnce,
                    now: now
                )
                guard let scheduled else { throw ServiceError.webhookDisabled }
                more = scheduled
                count += scheduled
            }
        }
        return count
    }

    private func scheduled(_ redelivery: Redelivery) throws(ServiceError) -> Delivery {
        switch redelivery {
        case .scheduled(let delivery): return delivery
        case .notFound: throw .notFound
        case .disabled: throw .webhookDisabled
        }
    }
}
