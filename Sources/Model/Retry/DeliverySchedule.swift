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

    /// For how long a delivery that fails keeps those that are to come after it.
    public static let longestBlock: Duration = .seconds(5 * 60)

    private static let longDelay: Duration = .seconds(5 * 60)

    /// How long to wait before attempt `attempt`, or nil when no attempt of that number takes place.
    ///
    /// Jitter keeps the deliveries of a receiver that was down from all coming back at once: up to two fifths more on
    /// delays below five minutes, a fifth more or less on the longer ones.
    ///
    /// - Parameters:
    ///   - attempt: Counted from 1, which is due at once.
    ///   - random: From 0 up to but not including 1.
    ///   - retryAfter: What the receiver asked for with its last answer: a minimum.
    public func delay(beforeAttempt attempt: Int, random: Double, retryAfter: RetryAfter? = nil) -> Duration? {
        if attempt == 1 { return .zero }
        guard attempt > 1, attempt - 2 < delays.count else { return nil }
        let planned = delays[attempt - 2]
        let least = planned < Self.longDelay ? 1 : 0.8
        let jittered = planned * (least + 0.4 * random.clampedToUnit)
        return max(jittered, min(retryAfter?.delay ?? .zero, Self.longestRetryAfter))
    }
}
