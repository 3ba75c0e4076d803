/// What has happened to a download before a retry is decided on.
public struct AttemptHistory: Hashable, Sendable {
    /// Attempts in a row that brought no durable progress, the failed one included; 0 when it did bring some.
    public var attemptsWithoutProgress: Int
    /// Failures with this very code that count together, the present one included; at least 1
    /// (``Download/Attempts/failures(with:)``).
    public var sameFailures: Int
    /// How long it has been tried without progress. Time spent paused, or waiting for space, io or credentials, does
    /// not count.
    public var timeWithoutProgress: Duration
    /// The time left until its deadline; nil when it has none.
    public var timeUntilDeadline: Duration?
    /// Whether any byte of it is durable.
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
