public import HTTPFields

/// One POST to a webhook, and its result.
public struct DeliveryAttempt: Hashable, Sendable {
    public var startedAt: Timestamp
    /// The header fields of the request, without secrets. They are set even if no connection was made; empty if no
    /// request was prepared.
    public var fields: [Field]
    public var duration: Duration
    public var status: Int?
    /// A text for people if there is no status.
    public var error: String?
    /// The first bytes of the response body.
    public var responseExcerpt: [UInt8]
    /// The address that responded.
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

/// The filter of a list of a webhook's deliveries.
public struct DeliveryFilter: Hashable, Sendable {
    /// The states to include; empty means all.
    public var states: [DeliveryState]
    /// The event types to include; nil means all.
    public var types: Set<EventType>?
    /// Include only events at or after this instant.
    public var since: Timestamp?
    /// Include only events before this instant.
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

/// The times of the attempts of a delivery.
public struct DeliverySchedule: Hashable, Sendable {
    /// The delay before each further attempt, from the failure of the previous one. The first attempt has no delay.
    public let delays: [Duration]

    /// Ten attempts in about three days (Standard Webhooks 1.0.0, "Deliverability and reliability").
    public static let standard = Self(delays: [
        .seconds(5), .seconds(5 * 60), .seconds(30 * 60), .seconds(2 * 3600), .seconds(5 * 3600),
        .seconds(10 * 3600), .seconds(14 * 3600), .seconds(20 * 3600), .seconds(24 * 3600),
    ])

    public init(delays: [Duration]) { self.delays = delays }

    /// The longest `Retry-After` that is obeyed. A longer one is shortened to it.
    public static let longestRetryAfter: Duration = .seconds(24 * 3600)

    /// How long a failing delivery may block later ones.
    public static let longestBlock: Duration = .seconds(5 * 60)

    private static let longDelay: Duration = .seconds(5 * 60)

    /// The delay before an attempt; nil if the schedule has no such attempt.
    ///
    /// Jitter spreads the deliveries to a receiver that was down: delays below five minutes become up to 40 % longer,
    /// others up to 20 % shorter or longer.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt, from 1. The first one has no delay.
    ///   - random: From 0 up to but not including 1.
    ///   - retryAfter: The `Retry-After` of the last response, which is the minimum delay.
    public func delay(beforeAttempt attempt: Int, random: Double, retryAfter: RetryAfter? = nil) -> Duration? {
        if attempt == 1 { return .zero }
        guard attempt > 1, attempt - 2 < delays.count else { return nil }
        let planned = delays[attempt - 2]
        let least = planned < Self.longDelay ? 1 : 0.8
        let jittered = planned * (least + 0.4 * random.clampedToUnit)
        return max(jittered, min(retryAfter?.delay ?? .zero, Self.longestRetryAfter))
    }
}
