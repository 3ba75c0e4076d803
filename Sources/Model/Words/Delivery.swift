/// An endpoint that receives events.
public struct Webhook: Hashable, Sendable, Identifiable {
    public let id: WebhookID
    public var url: SourceURL

    public init(id: WebhookID, url: SourceURL) {
        self.id = id
        self.url = url
    }
}

/// Where the delivery of one event to one webhook stands.
public enum DeliveryState: String, CaseIterable, Hashable, Sendable {
    /// Due at its next attempt.
    case pending
    /// An attempt is under way.
    case delivering
    /// The receiver took it.
    case succeeded
    /// The schedule ended. It stays listed, and can be sent again.
    case failed
    /// The receiver asked not to be sent it again.
    case aborted
    /// Its webhook was disabled before it was taken.
    case disabled
}

/// A delivery that is due, with the bytes to send.
public struct DueDelivery: Hashable, Sendable {
    public let id: DeliveryID
    public let event: EventID
    public let webhook: Webhook
    /// How many attempts came before this one.
    public let attemptsMade: Int
    /// The event's JSON, made once, in the transaction of the event.
    public let body: [UInt8]

    public init(id: DeliveryID, event: EventID, webhook: Webhook, attemptsMade: Int, body: [UInt8]) {
        self.id = id
        self.event = event
        self.webhook = webhook
        self.attemptsMade = attemptsMade
        self.body = body
    }
}

/// One POST to a webhook, and what came of it.
public struct DeliveryAttempt: Hashable, Sendable {
    public var startedAt: Timestamp
    public var duration: Duration
    public var status: Int?
    /// Why there is no status, for a person.
    public var error: String?
    /// The first bytes of the answer's body.
    public var responseExcerpt: [UInt8]
    public var verdict: Verdict

    /// What follows from the attempt; the state of the delivery is its consequence.
    public enum Verdict: Hashable, Sendable {
        /// The receiver took it (a status of 2xx).
        case succeeded
        /// It is sent again at this instant.
        case retry(at: Timestamp)
        /// It was the schedule's last attempt.
        case exhausted
        /// The receiver will never take this one, and asked not to be sent it again.
        case aborted
        /// The webhook is to receive nothing more until it is enabled again.
        case disables(reason: String)
    }

    public init(
        startedAt: Timestamp,
        duration: Duration,
        status: Int?,
        error: String?,
        responseExcerpt: [UInt8],
        verdict: Verdict
    ) {
        self.startedAt = startedAt
        self.duration = duration
        self.status = status
        self.error = error
        self.responseExcerpt = responseExcerpt
        self.verdict = verdict
    }
}
