/// When a webhook delivery is attempted again: ten attempts in about three days (Standard Webhooks 1.0.0,
/// "Deliverability and reliability").
public enum DeliverySchedule {
    /// The delay before each attempt, counted from the failure of the one before.
    private static let delays: [Duration] = [
        .zero, .seconds(5), .seconds(5 * 60), .seconds(30 * 60), .seconds(2 * 3600), .seconds(5 * 3600),
        .seconds(10 * 3600), .seconds(14 * 3600), .seconds(20 * 3600), .seconds(24 * 3600),
    ]

    public static let maxAttempts = delays.count

    /// The longest `Retry-After` that is obeyed in full.
    public static let longestRetryAfter: Duration = .seconds(24 * 3600)

    /// For how long a delivery that fails keeps those that are to come after it.
    public static let longestBlock: Duration = .seconds(5 * 60)

    /// How long to wait before attempt `attempt`, or nil when no attempt of that number takes place.
    ///
    /// Jitter keeps the deliveries of a receiver that was down from all coming back at once: 0 to 2 seconds more on
    /// the 5 seconds, a fifth more or less on the longer delays.
    ///
    /// - Parameters:
    ///   - attempt: Counted from 1, which is due at once.
    ///   - random: From 0 up to but not including 1.
    ///   - retryAfter: What the receiver asked for with its last answer: a minimum.
    public static func delay(beforeAttempt attempt: Int, random: Double, retryAfter: RetryAfter? = nil) -> Duration? {
        guard (1...maxAttempts).contains(attempt) else { return nil }
        let planned = delays[attempt - 1]
        let unit = random.clampedToUnit
        let jittered: Duration =
            switch attempt {
            case 1: .zero
            case 2: planned + .seconds(2) * unit
            default: planned * (0.8 + 0.4 * unit)
            }
        return max(jittered, min(retryAfter?.delay ?? .zero, longestRetryAfter))
    }
}
