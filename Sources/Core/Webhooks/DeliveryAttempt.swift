import HTTPFields

/// One POST to a webhook, and the response.
public struct DeliveryAttempt: Hashable, Sendable {
    public var startedAt: Timestamp
    /// The header fields of the request, without secrets. They are set even if no connection was made; empty if no
    /// request was prepared.
    public var fields: [Field] = []
    public var duration: Duration
    public var status: Int?
    /// A text for people if there is no status.
    public var error: String?
    /// The first bytes of the response body.
    public var responseExcerpt: [UInt8] = []
    /// The address that responded.
    public var remoteAddress: String?

    public struct Field: Hashable, Sendable {
        public let name: String
        public let value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The result of the attempt. It determines the state of the delivery.
    public enum Result: Hashable, Sendable {
        /// The receiver accepted the event (2xx).
        case succeeded
        /// The next attempt is at this instant.
        case retry(at: Timestamp)
        /// The last attempt of the schedule failed.
        case exhausted
        /// The receiver refused this delivery for good and requested no further attempts.
        case aborted
        /// The webhook is disabled and receives no event until it is enabled again.
        case disables(DisablingReason)
    }

    public init(startedAt: Timestamp, duration: Duration) {
        self.startedAt = startedAt
        self.duration = duration
    }

    public var end: Timestamp { startedAt + duration }
}
