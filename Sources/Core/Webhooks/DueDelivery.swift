/// A due delivery, with the bytes to send.
public struct DueDelivery: Hashable, Sendable {
    public let id: DeliveryID
    public let event: EventID
    public let webhook: Webhook
    /// The number of earlier attempts in the present schedule.
    public let attemptsMade: Int
    /// The number of all earlier attempts, including those of earlier schedules.
    public let attemptsLogged: Int
    /// The session whose other deliveries wait for this one; nil if there is none.
    public let leads: SessionName?
    /// The body of the event. It is encoded once, in the transaction of the event.
    public let body: [UInt8]
    /// The format of the body, which may differ from the webhook's present format.
    public let format: EventForm.Format

    public init(
        id: DeliveryID,
        event: EventID,
        webhook: Webhook,
        attemptsMade: Int,
        attemptsLogged: Int,
        leads: SessionName?,
        body: [UInt8],
        format: EventForm.Format
    ) {
        self.id = id
        self.event = event
        self.webhook = webhook
        self.attemptsMade = attemptsMade
        self.attemptsLogged = attemptsLogged
        self.leads = leads
        self.body = body
        self.format = format
    }
}
