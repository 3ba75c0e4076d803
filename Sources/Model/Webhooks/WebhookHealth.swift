/// Whether a webhook's receiver is there, by what became of the attempts so far: what decides when it is given up.
///
/// By time and not by count, so that neither a busy hour nor a restart of the receiver ends it: it is given up once
/// every attempt failed for five days, which count from when several failures lay half a day apart.
public struct WebhookHealth: Hashable, Sendable {
    /// Since the last attempt that was answered.
    public var consecutiveFailures: Int
    /// When the failures began that are looked at together, and how many there were since.
    public var windowBeganAt: Timestamp?
    public var windowFailures: Int
    /// From when on the days count; nil while it may be a passing trouble.
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
    /// - Returns: Whether the webhook is to be given up.
    public mutating func noteFailure(at now: Timestamp) -> Bool {
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
