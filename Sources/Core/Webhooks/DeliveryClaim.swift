/// The result of a claim of deliveries.
public struct DeliveryClaim: Hashable, Sendable {
    public var deliveries: [DueDelivery]
    /// When the next waiting delivery is due; nil if none waits for a time.
    public var next: Timestamp?
    /// The webhooks that have more due deliveries than were claimed.
    public var deferred: Set<WebhookID>
    /// Whether another claim would find no delivery.
    public var isComplete: Bool
    /// The webhooks that the stored results disabled, by delivery, with the reasons.
    public var disablings: [DeliveryID: DisablingReason]

    public init(
        deliveries: [DueDelivery] = [],
        next: Timestamp? = nil,
        deferred: Set<WebhookID> = [],
        isComplete: Bool = true,
        disablings: [DeliveryID: DisablingReason] = [:]
    ) {
        self.deliveries = deliveries
        self.next = next
        self.deferred = deferred
        self.isComplete = isComplete
        self.disablings = disablings
    }
}
