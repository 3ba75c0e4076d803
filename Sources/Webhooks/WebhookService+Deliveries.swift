public import Jobs
public import Model
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
    ) async throws(JobError) -> [Delivery] {
        _ = try await self.webhook(webhook)
        return try await stored { try await store.deliveries(of: webhook, filter, before: id, limit: limit) }
    }

    public func delivery(_ id: DeliveryID, of webhook: WebhookID) async throws(JobError) -> DeliveryDetail {
        _ = try await self.webhook(webhook)
        guard let detail = try await stored({ try await store.delivery(id, of: webhook) }) else { throw .notFound }
        return detail
    }

    /// Lets a delivery be sent once more, whatever became of it.
    public func redeliver(_ id: DeliveryID, of webhook: WebhookID) async throws(JobError) -> Delivery {
        _ = try await self.webhook(webhook)
        let now = time.now
        return try scheduled(try await stored { try await store.redeliver(id, of: webhook, now: now) })
    }

    /// Sends a webhook an event that says nothing.
    public func ping(_ webhook: WebhookID) async throws(JobError) -> Delivery {
        _ = try await self.webhook(webhook)
        let now = time.now
        return try scheduled(try await stored { try await store.ping(webhook, now: now) })
    }

    /// Lets all that was not taken be sent once more.
    ///
    /// - Parameters:
    ///   - since: Where their events began to happen.
    ///   - until: Before which they happened; nil for now.
    /// - Returns: How many come back.
    public func recover(
        _ webhook: WebhookID,
        _ states: [DeliveryState],
        since: Timestamp,
        until: Timestamp?
    ) async throws(JobError) -> Int {
        _ = try await self.webhook(webhook)
        let now = time.now
        guard since >= now - retention else {
            let detail = "What happened then is not kept any more."
            throw .unprocessable([JobError.Violation(pointer: "/since", detail: detail)])
        }
        let end = min(until ?? now, now) + .milliseconds(until == nil ? 1 : 0)
        guard since < end else {
            throw .unprocessable([JobError.Violation(pointer: "/since", detail: "It is later than the end.")])
        }
        var count = 0
        for state in states {
            var more = Self.recoveredAtOnce
            while more == Self.recoveredAtOnce {
                let scheduled = try await stored {
                    try await store.recoverDeliveries(
                        of: webhook,
                        state,
                        since..<end,
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

    private func scheduled(_ redelivery: Redelivery) throws(JobError) -> Delivery {
        switch redelivery {
        case .scheduled(let delivery): return delivery
        case .notFound: throw .notFound
        case .disabled: throw .webhookDisabled
        }
    }
}
