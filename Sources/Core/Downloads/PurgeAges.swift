/// The retention periods of records.
public struct PurgeAges: Hashable, Sendable {
    /// For the record of an ended download, and of a session without downloads; nil means forever, zero at once. The
    /// record of a finished file stays as long as the file.
    public var finishedDownloads: Duration?
    /// For a finished file whose download has no choice of its own; nil means forever, zero at once.
    public var files: Duration?
    /// For the bytes of a failed download.
    public var failedBytes: Duration
    /// For stored responses to requests with an idempotency key.
    public var responses: Duration
    /// For events, and for their deliveries after the end of the last one; for operations after their end.
    public var events: Duration

    public init(
        finishedDownloads: Duration? = .seconds(30 * 86_400),
        files: Duration? = nil,
        failedBytes: Duration = .seconds(7 * 86_400),
        responses: Duration = .seconds(86_400),
        events: Duration = .seconds(30 * 86_400)
    ) {
        self.finishedDownloads = finishedDownloads
        self.files = files
        self.failedBytes = failedBytes
        self.responses = responses
        self.events = events
    }
}

/// The latest ends of what a purge takes.
public struct PurgeLimits: Hashable, Sendable {
    /// For ended downloads and idle sessions; nil if they stay forever.
    public let finishedDownloads: Timestamp?
    public let failedBytes: Timestamp
    public let responses: Timestamp
    public let events: Timestamp
}

extension PurgeAges {
    /// - Parameter instant: The time from which ages are measured (``RetentionClock``).
    public func limits(at instant: Timestamp) -> PurgeLimits {
        PurgeLimits(
            finishedDownloads: AgeClock.latestEnd(of: finishedDownloads, at: instant),
            failedBytes: instant - failedBytes,
            responses: instant - responses,
            events: instant - events
        )
    }
}
