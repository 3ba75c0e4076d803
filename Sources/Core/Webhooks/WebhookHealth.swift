/// The health of a webhook, from its attempts. It decides when the webhook is disabled.
///
/// It measures time instead of counts, so that neither many events nor a restart of the receiver disables the webhook.
/// The webhook is disabled after five days without a success. The five days begin once at least three failures of one
/// series cover half a day.
public struct WebhookHealth: Hashable, Sendable {
    /// The number of failed attempts since the last successful one.
    public var consecutiveFailures: Int
    /// When the present series of failures began, and their number.
    public var windowBeganAt: Timestamp?
    public var windowFailures: Int
    /// The start of the five days; nil while the failures may be temporary.
    public var failingSince: Timestamp?

    static let severalFailures = 3
    static let leastSpread = Duration.seconds(12 * 3600)
    static let longestWindow = Duration.seconds(24 * 3600)
    static let patience = Duration.seconds(5 * 86_400)

    public init(
        consecutiveFailures: Int = 0,
        windowBeganAt: Timestamp? = nil,
        windowFailures: Int = 0,
        failingSince: Timestamp? = nil
    ) {
        self.consecutiveFailures = consecutiveFailures
        self.windowBeganAt = windowBeganAt
        self.windowFailures = windowFailures
        self.failingSince = failingSince
    }

    /// Records a failed attempt.
    ///
    /// - Returns: Whether the webhook must be disabled.
    public mutating func recordFailure(at now: Timestamp) -> Bool {
        consecutiveFailures += 1
        // A time in the future was recorded before the clock was set back. It is replaced by the present time.
        if let since = failingSince, since > now { failingSince = now }
        if let began = windowBeganAt, began > now { windowBeganAt = now }
        if let failingSince { return now - failingSince >= Self.patience }
        if let windowBeganAt, now - windowBeganAt <= Self.longestWindow {
            windowFailures += 1
            let isLasting = windowFailures >= Self.severalFailures && now - windowBeganAt >= Self.leastSpread
            if isLasting { failingSince = now }
        } else {
            (windowBeganAt, windowFailures) = (now, 1)
        }
        return false
    }
}
