import Core

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
