/// The result of a claim of deliveries.
public struct ClaimedDeliveries: Hashable, Sendable {
    public var deliveries: [DueDelivery]
    /// When the next waiting delivery is due, or a rate limit allows another; nil if none waits for a time.
    public var next: Timestamp?
    /// Whether another claim would find no delivery.
    public var isComplete: Bool
    /// The webhooks that the stored results disabled, by delivery, with the reasons.
    public var disablings: [DeliveryID: DisablingReason]

    public init(
        deliveries: [DueDelivery] = [],
        next: Timestamp? = nil,
        isComplete: Bool = true,
        disablings: [DeliveryID: DisablingReason] = [:]
    ) {
        self.deliveries = deliveries
        self.next = next
        self.isComplete = isComplete
        self.disablings = disablings
    }
}
