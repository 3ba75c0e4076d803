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
    public let id: DeliveryID
    public let webhook: WebhookID
    public let event: EventID
    public let eventType: EventType
    public let sequence: Int64
    public let eventAt: Timestamp
    public let state: DeliveryState
    /// The number of attempts.
    public let attempts: Int
    public let nextAttemptAt: Timestamp?
    public let finishedAt: Timestamp?

    public init(
        id: DeliveryID,
        webhook: WebhookID,
        event: EventID,
        eventType: EventType,
        sequence: Int64,
        eventAt: Timestamp,
        state: DeliveryState,
        attempts: Int,
        nextAttemptAt: Timestamp?,
        finishedAt: Timestamp?
    ) {
        self.id = id
        self.webhook = webhook
        self.event = event
        self.eventType = eventType
        self.sequence = sequence
        self.eventAt = eventAt
        self.state = state
        self.attempts = attempts
        self.nextAttemptAt = nextAttemptAt
        self.finishedAt = finishedAt
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

/// A stored attempt.
public struct LoggedDeliveryAttempt: Hashable, Sendable {
    /// The number of the attempt within the delivery, from 1.
    public let number: Int
    public let at: Timestamp
    public let fields: [DeliveryAttempt.Field]
    public let durationMilliseconds: Int64
    public let status: Int?
    public let error: String?
    public let responseExcerpt: [UInt8]
    public let nextAttemptAt: Timestamp?
    public let remoteAddress: String?

    public init(
        number: Int,
        at: Timestamp,
        fields: [DeliveryAttempt.Field] = [],
        durationMilliseconds: Int64,
        status: Int?,
        error: String?,
        responseExcerpt: [UInt8],
        nextAttemptAt: Timestamp?,
        remoteAddress: String?
    ) {
        self.number = number
        self.at = at
        self.fields = fields
        self.durationMilliseconds = durationMilliseconds
        self.status = status
        self.error = error
        self.responseExcerpt = responseExcerpt
        self.nextAttemptAt = nextAttemptAt
        self.remoteAddress = remoteAddress
    }
}

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

/// A completed delivery attempt and its delivery.
public struct SentDelivery: Sendable {
    public let delivery: DueDelivery
    public let attempt: DeliveryAttempt

    public init(_ delivery: DueDelivery, _ attempt: DeliveryAttempt) {
        self.delivery = delivery
        self.attempt = attempt
    }
}

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
