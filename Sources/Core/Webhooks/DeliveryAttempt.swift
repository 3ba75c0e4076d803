public import HTTPFields

/// One POST to a webhook, and its result.
public struct DeliveryAttempt: Hashable, Sendable {
    public var startedAt: Timestamp
    /// The header fields of its request, without secrets; empty if no request was made. An attempt without a connection
    /// has them too.
    public var fields: [Field]
    public var duration: Duration
    public var status: Int?
    /// Why there is no status, for people.
    public var error: String?
    /// The first bytes of the answer's body.
    public var responseExcerpt: [UInt8]
    /// The address that answered.
    public var remoteAddress: String?
    public var result: Result

    public struct Field: Hashable, Sendable {
        public let name: String
        public let value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The result of the attempt; the state of the delivery follows from it.
    public enum Result: Hashable, Sendable {
        /// The receiver accepted it (2xx).
        case succeeded
        /// It is sent again at this instant.
        case retry(at: Timestamp)
        /// It was the last attempt of the schedule.
        case exhausted
        /// The receiver will never accept this delivery, and asked not to get it again.
        case aborted
        /// The webhook receives nothing more until it is enabled again.
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
        result: Result
    ) {
        self.startedAt = startedAt
        self.fields = fields
        self.duration = duration
        self.status = status
        self.error = error
        self.responseExcerpt = responseExcerpt
        self.remoteAddress = remoteAddress
        self.result = result
    }

    public var end: Timestamp { startedAt + duration }
}

/// Which deliveries of a webhook a list shows.
public struct DeliveryFilter: Hashable, Sendable {
    /// In any of these; empty for all.
    public var states: [DeliveryState]
    /// Of events of these types; nil for all.
    public var types: Set<EventType>?
    /// Of events at or after this instant.
    public var since: Timestamp?
    /// Of events before this instant.
    public var until: Timestamp?

    public init(
        states: [DeliveryState] = [],
        types: Set<EventType>? = nil,
        since: Timestamp? = nil,
        until: Timestamp? = nil
    ) {
        self.states = states
        self.types = types
        self.since = since
        self.until = until
    }
}

/// When a webhook delivery is attempted again.
public struct DeliverySchedule: Hashable, Sendable {
    /// The delay before each further attempt, counted from the failure of the one before. The first attempt is due at
    /// once.
    public let delays: [Duration]

    /// Ten attempts in about three days (Standard Webhooks 1.0.0, "Deliverability and reliability").
    public static let standard = Self(delays: [
        .seconds(5), .seconds(5 * 60), .seconds(30 * 60), .seconds(2 * 3600), .seconds(5 * 3600),
        .seconds(10 * 3600), .seconds(14 * 3600), .seconds(20 * 3600), .seconds(24 * 3600),
    ])

    public init(delays: [Duration]) { self.delays = delays }

    /// The longest `Retry-After` that is obeyed in full.
    public static let longestRetryAfter: Duration = .seconds(24 * 3600)

    /// How long a failing delivery delays those after it.
    public static let longestBlock: Duration = .seconds(5 * 60)

    private static let longDelay: Duration = .seconds(5 * 60)

    /// The wait before attempt `attempt`; nil if there is no attempt of that number.
    ///
    /// Jitter keeps the deliveries of a receiver that was down from all coming back at once: up to two fifths more on
    /// delays below five minutes, a fifth more or less on the longer ones.
    ///
    /// - Parameters:
    ///   - attempt: Counted from 1, which is due at once.
    ///   - random: From 0 up to but not including 1.
    ///   - retryAfter: The `Retry-After` of the last answer: a minimum.
    public func delay(beforeAttempt attempt: Int, random: Double, retryAfter: RetryAfter? = nil) -> Duration? {
        if attempt == 1 { return .zero }
        guard attempt > 1, attempt - 2 < delays.count else { return nil }
        let planned = delays[attempt - 2]
        let least = planned < Self.longDelay ? 1 : 0.8
        let jittered = planned * (least + 0.4 * random.clampedToUnit)
        return max(jittered, min(retryAfter?.delay ?? .zero, Self.longestRetryAfter))
    }
}
