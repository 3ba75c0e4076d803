public import Core
import Store

extension WebhookService {
    /// How many deliveries come back in one transaction.
    private static let recoveredAtOnce = 500

    /// The deliveries of a webhook, the newest first, those made before `id` if one is given.
    public func deliveries(
        of webhook: WebhookID,
        _ filter: DeliveryFilter,
        before id: DeliveryID?,
        limit: Int
    ) async throws(ServiceError) -> [Delivery] {
        _ = try await self.webhook(webhook)
        return try await mappingStoreErrors {
            try await store.deliveries(of: webhook, filter, before: id, limit: limit)
        }
    }

    public func delivery(_ id: DeliveryID, of webhook: WebhookID) async throws(ServiceError) -> DeliveryDetail {
        _ = try await self.webhook(webhook)
        guard let detail = try await mappingStoreErrors({ try await store.delivery(id, of: webhook) }) else {
            throw .notFound
        }
        return detail
    }

    /// Sends a delivery again, whatever its state is.
    public func redeliver(
        _ id: DeliveryID,
        of webhook: WebhookID,
        replay: IdempotentOperation<Delivery>? = nil
    ) async throws(ServiceError) -> IdempotentResult<Delivery> {
        _ = try await self.webhook(webhook)
        let now = time.now
        let outcome = try await mappingStoreErrors {
            try await store.redeliver(id, of: webhook, replay: replay, now: now)
        }
        return try outcome.map(scheduled)
    }

    /// Sends a webhook a test event.
    public func ping(
        _ webhook: WebhookID,
        replay: IdempotentOperation<Delivery>? = nil
    ) async throws(ServiceError) -> IdempotentResult<Delivery> {
        _ = try await self.webhook(webhook)
        let now = time.now
        let outcome = try await mappingStoreErrors { try await store.ping(webhook, replay: replay, now: now) }
        return try outcome.map(scheduled)
    }

    /// Sends all deliveries that were not accepted again, and pending ones now.
    ///
    /// - Parameters:
    ///   - since: Where their events began to happen.
    ///   - until: Before which they happened; nil for now.
    /// - Returns: How many come back.
    public func recover(
        _ webhook: WebhookID,
        _ states: [DeliveryState],
        since: Timestamp,
        until: Timestamp?,
        replay: IdempotentOperation<Int>? = nil
    ) async throws(ServiceError) -> IdempotentResult<Int> {
        _ = try await self.webhook(webhook)
        let now = time.now
        guard since >= now - retention else {
            let detail = "Deliveries of that time are no longer stored."
            throw .unprocessable([Violation("/since", .malformed, detail)])
        }
        let end = min(until ?? now, now) + .milliseconds(until == nil ? 1 : 0)
        guard since < end else {
            throw .unprocessable([Violation("/since", .malformed, "Expected an instant before until.")])
        }
        let recovered = try await recover(webhook, states, since..<end, now: now)
        guard let replay else { return .done(recovered) }
        // Several steps made it: the answer is kept after the last of them. A request that is repeated because the
        // service died in between does the rest.
        let result = try await mappingStoreErrors {
            try await store.storeResponse(replay.response(recovered), to: replay.request, now: now)
        }
        return result.map { recovered }
    }

    private func recover(
        _ webhook: WebhookID,
        _ states: [DeliveryState],
        _ times: Range<Timestamp>,
        now: Timestamp
    ) async throws(ServiceError) -> Int {
        var count = 0
        for state in states {
            var more = Self.recoveredAtOnce
            while more == Self.recoveredAtOnce {
                let scheduled = try await mappingStoreErrors {
                    try await store.recoverDeliveries(
                        of: webhook,
                        state,
                        times,
                        limit: Self.recoveredAtOnce,
                        now: now
                    )
                }
                guard let scheduled else { throw .webhookDisabled }
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
