public import HTTPFields

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
