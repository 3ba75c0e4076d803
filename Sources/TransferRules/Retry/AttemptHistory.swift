import Core
import HTTPFields

/// The history of a download before a retry decision.
public struct AttemptHistory: Hashable, Sendable {
    /// The number of consecutive attempts without durable progress, including the failed one; 0 if it made progress.
    public var attemptsWithoutProgress: Int
    /// The number of failures with the same code that count together, including the present one; at least 1
    /// (``Download/Attempts/failures(with:)``).
    public var sameFailures: Int
    /// The time since the last new durable byte, or since the run began. Pauses and waits that the origin did not cause
    /// do not count (``Download/Times/progressedAt``).
    public var timeWithoutProgress: Duration
    /// The time until the deadline; nil if there is none.
    public var timeUntilDeadline: Duration?
    /// Whether the download has any durable byte.
    public var hasDurableBytes: Bool

    public init(
        attemptsWithoutProgress: Int,
        sameFailures: Int = 1,
        timeWithoutProgress: Duration = .zero,
        timeUntilDeadline: Duration? = nil,
        hasDurableBytes: Bool = false
    ) {
        self.attemptsWithoutProgress = attemptsWithoutProgress
        self.sameFailures = sameFailures
        self.timeWithoutProgress = timeWithoutProgress
        self.timeUntilDeadline = timeUntilDeadline
        self.hasDurableBytes = hasDurableBytes
    }
}
