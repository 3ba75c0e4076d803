/// The content of a `session.finished` event: the last open download of the session has ended.
public struct FinishedSession: Hashable, Sendable {
    public var name: SessionName
    public var epoch: Int64
    /// Whether the session is sealed, so that no further download can follow.
    public var isSealed = false
    /// The number of downloads in each terminal state since the previous `session.finished`, including deleted ones.
    public var counts: [DownloadState: Int] = [:]
    public var receivedBytes: Int64 = 0
    /// When the first download of this epoch was created or retried.
    public var startedAt: Timestamp
    public var finishedAt: Timestamp
    /// The first hundred failed downloads.
    public var failed: [DownloadID] = []
    /// The sequence number of the event that ended the last download.
    public var lastSequence: Int64 = 0
    /// The labels of the session, as canonical JSON.
    public var labels: JSONText?
    /// The URL that receives the event in addition to the webhooks.
    public var callbackURL: DownloadURL?
    /// The webhooks of the session (``SessionSettings/webhookIDs``).
    public var webhookIDs: [WebhookID] = []

    public init(name: SessionName, epoch: Int64, startedAt: Timestamp, finishedAt: Timestamp) {
        self.name = name
        self.epoch = epoch
        self.startedAt = startedAt
        self.finishedAt = finishedAt
    }
}
