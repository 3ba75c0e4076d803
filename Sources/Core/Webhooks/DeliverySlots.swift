/// The limits of a claim of deliveries.
public struct DeliverySlots: Hashable, Sendable {
    /// The maximum in total.
    public var free: Int
    /// The maximum for each webhook that is not in ``remaining``.
    public var perWebhook: Int
    /// The maximum for single webhooks: those with attempts in progress, and slow ones.
    public var remaining: [WebhookID: Int]
    /// The slow webhooks. Together they get at most `freeForSlow` deliveries.
    public var slow: Set<WebhookID>
    public var freeForSlow: Int

    public init(
        free: Int,
        perWebhook: Int,
        remaining: [WebhookID: Int] = [:],
        slow: Set<WebhookID> = [],
        freeForSlow: Int = 0
    ) {
        self.free = free
        self.perWebhook = perWebhook
        self.remaining = remaining
        self.slow = slow
        self.freeForSlow = freeForSlow
    }
}
