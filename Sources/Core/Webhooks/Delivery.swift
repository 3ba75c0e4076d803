/// The state of the delivery of one event to one webhook.
public enum DeliveryState: String, CaseIterable, Hashable, Sendable {
    /// Waiting for its next attempt.
    case pending
    /// An attempt is in progress.
    case delivering
    /// The receiver accepted the event.
    case succeeded
    /// All attempts of the schedule failed. The delivery stays listed and can be repeated.
    case failed
    /// The receiver requested no further attempts.
    case aborted
    /// The webhook was disabled before the receiver accepted the event.
    case disabled

    /// Whether the service still attempts it automatically.
    public var isOpen: Bool { self == .pending || self == .delivering }
}

/// The stored delivery of one event to one webhook.
public struct Delivery: Hashable, Sendable, Identifiable {
    public var id: DeliveryID
    public var webhook: WebhookID
    public var event: EventID
    public var eventType: EventType
    public var sequence: Int64
    public var eventAt: Timestamp
    public var state = DeliveryState.pending
    /// The number of attempts.
    public var attempts = 0
    public var nextAttemptAt: Timestamp?
    public var finishedAt: Timestamp?

    public init(
        id: DeliveryID,
        webhook: WebhookID,
        event: EventID,
        eventType: EventType,
        sequence: Int64,
        eventAt: Timestamp
    ) {
        self.id = id
        self.webhook = webhook
        self.event = event
        self.eventType = eventType
        self.sequence = sequence
        self.eventAt = eventAt
    }
}

/// A delivery with its body and attempts.
public struct DeliveryDetail: Hashable, Sendable {
    public let delivery: Delivery
    public let body: [UInt8]
    /// The attempts, oldest first.
    public let attempts: [LoggedDeliveryAttempt]

    public init(delivery: Delivery, body: [UInt8], attempts: [LoggedDeliveryAttempt]) {
        self.delivery = delivery
        self.body = body
        self.attempts = attempts
    }
}

/// A completed delivery attempt and its delivery.
public struct SentDelivery: Sendable {
    public let delivery: DueDelivery
    public let attempt: DeliveryAttempt
    public let result: DeliveryAttempt.Result

    public init(_ delivery: DueDelivery, _ attempt: DeliveryAttempt, _ result: DeliveryAttempt.Result) {
        self.delivery = delivery
        self.attempt = attempt
        self.result = result
    }
}
