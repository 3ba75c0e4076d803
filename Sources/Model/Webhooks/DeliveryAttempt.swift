/// One POST to a webhook, and what came of it.
public struct DeliveryAttempt: Hashable, Sendable {
    public var startedAt: Timestamp
    /// The header fields of its request, without what is secret in them; none where it came to no request. One that
    /// found no connection has them too.
    public var fields: [Field]
    public var duration: Duration
    public var status: Int?
    /// Why there is no status, for a person.
    public var error: String?
    /// The first bytes of the answer's body.
    public var responseExcerpt: [UInt8]
    /// Who answered.
    public var remoteAddress: String?
    public var verdict: Verdict

    public struct Field: Hashable, Sendable {
        public let name: String
        public let value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

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
        case disables(DisablingReason)
    }

    public init(
        startedAt: Timestamp,
        fields: [Field] = [],
        duration: Duration,
        status: Int?,
        error: String?,
        responseExcerpt: [UInt8],
        remoteAddress: String? = nil,
        verdict: Verdict
    ) {
        self.startedAt = startedAt
        self.fields = fields
        self.duration = duration
        self.status = status
        self.error = error
        self.responseExcerpt = responseExcerpt
        self.remoteAddress = remoteAddress
        self.verdict = verdict
    }

    public var end: Timestamp { startedAt + duration }
}
