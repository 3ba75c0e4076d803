/// The health of a webhook by its attempts: it decides when the webhook is disabled.
///
/// It measures time, not counts, so that neither a busy hour nor a restart of the receiver disables the webhook. It is
/// disabled once every attempt has failed for five days, counted from when several failures lay half a day apart.
public struct WebhookHealth: Hashable, Sendable {
    /// Since the last attempt that was answered.
    public var consecutiveFailures: Int
    /// When the current failures began, and their number.
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

    /// Counts an attempt that failed.
    ///
    /// - Returns: Whether the webhook has to be disabled.
    public mutating func recordFailure(at now: Timestamp) -> Bool {
        consecutiveFailures += 1
        // A time in the future was noted before the clock was set back. It counts from now.
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
