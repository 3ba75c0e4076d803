/// A due delivery, with the bytes to send.
public struct DueDelivery: Hashable, Sendable {
    public let id: DeliveryID
    public let event: EventID
    public let webhook: Webhook
    /// The node that claimed it.
    public let node: String
    /// The number of earlier attempts in the present schedule.
    public var attemptsMade = 0
    /// The number of all earlier attempts, including those of earlier schedules.
    public var attemptsLogged = 0
    /// The session whose other deliveries wait for this one; nil if there is none.
    public var leads: SessionName?
    /// The body of the event. It is encoded once, in the transaction of the event.
    public let body: [UInt8]
    /// The format of the body, which may differ from the webhook's present format.
    public let format: EventForm.Format

    public init(
        id: DeliveryID,
        event: EventID,
        webhook: Webhook,
        node: String,
        body: [UInt8],
        format: EventForm.Format
    ) {
        self.id = id
        self.event = event
        self.webhook = webhook
        self.node = node
        self.body = body
        self.format = format
    }
}
