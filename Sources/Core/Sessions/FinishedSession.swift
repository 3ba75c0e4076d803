/// The content of a `session.finished` event: the last open download of the session has ended.
public struct FinishedSession: Hashable, Sendable {
    public var name: SessionName
    public var epoch: Int64
    /// Whether the session is sealed, so that no further download can follow.
    public var isSealed: Bool
    /// The number of downloads in each terminal state since the previous `session.finished`, including deleted ones.
    public var counts: [DownloadState: Int]
    public var receivedBytes: Int64
    /// When the first download of this epoch was created or retried.
    public var startedAt: Timestamp
    public var finishedAt: Timestamp
    /// The first hundred failed downloads.
    public var failed: [DownloadID]
    /// The sequence number of the event that ended the last download.
    public var lastSequence: Int64
    /// The labels of the session, as canonical JSON.
    public var labels: JSONText?
    /// The URL that receives the event in addition to the webhooks.
    public var callbackURL: DownloadURL?
    /// The webhooks of the session (``SessionSettings/webhookIDs``).
    public var webhookIDs: [WebhookID]

    public init(
        name: SessionName,
        epoch: Int64,
        isSealed: Bool,
        counts: [DownloadState: Int],
        receivedBytes: Int64,
        startedAt: Timestamp,
        finishedAt: Timestamp,
        failed: [DownloadID],
        lastSequence: Int64,
        labels: JSONText? = nil,
        callbackURL: DownloadURL? = nil,
        webhookIDs: [WebhookID] = []
    ) {
        self.name = name
        self.epoch = epoch
        self.isSealed = isSealed
        self.counts = counts
        self.receivedBytes = receivedBytes
        self.startedAt = startedAt
        self.finishedAt = finishedAt
        self.failed = failed
        self.lastSequence = lastSequence
        self.labels = labels
        self.callbackURL = callbackURL
        self.webhookIDs = webhookIDs
    }
}
