/// A named group of downloads. It is created on first use, or by a client that sets its limits or labels.
public struct Session: Hashable, Sendable {
    public let name: SessionName
    /// The number of its next `session.finished` event: the number of earlier ones plus one.
    public var epoch: Int64
    /// The number of downloads that have not ended, including paused ones.
    public var openCount: Int
    public var createdAt: Timestamp
    /// When its last open download ended; nil before that, and while a download is open.
    public var finishedAt: Timestamp?
    /// When it was sealed, so that no new download is accepted; nil if it is not sealed.
    public var sealedAt: Timestamp?
    /// The bytes of its downloads that count for the quota (``Download/heldBytes``).
    public var usedBytes: Int64
    /// Counts the changes of ``settings``, and sealing.
    public var revision: Int64
    public var settings: SessionSettings

    public var isSealed: Bool { sealedAt != nil }

    public init(
        name: SessionName,
        epoch: Int64,
        openCount: Int,
        createdAt: Timestamp,
        finishedAt: Timestamp?,
        sealedAt: Timestamp? = nil,
        usedBytes: Int64 = 0,
        revision: Int64 = 1,
        settings: SessionSettings = SessionSettings()
    ) {
        self.name = name
        self.epoch = epoch
        self.openCount = openCount
        self.createdAt = createdAt
        self.finishedAt = finishedAt
        self.sealedAt = sealedAt
        self.usedBytes = usedBytes
        self.revision = revision
        self.settings = settings
    }

    /// The rate limit of the session, with the revision that it belongs to.
    public var rate: SessionRate {
        SessionRate(name: name, bytesPerSecond: settings.rateBytesPerSecond, revision: revision)
    }
}

/// A session and the totals of its downloads.
public struct SessionSummary: Hashable, Sendable {
    public var session: Session
    /// The number of downloads in each state. States without downloads may be missing.
    public var counts: [DownloadState: Int]
    public var receivedBytes: Int64
    /// The sum of the known file sizes.
    public var totalBytes: Int64

    public init(session: Session, counts: [DownloadState: Int], receivedBytes: Int64, totalBytes: Int64) {
        self.session = session
        self.counts = counts
        self.receivedBytes = receivedBytes
        self.totalBytes = totalBytes
    }
}

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

/// The settings of a session, which clients can change.
public struct SessionSettings: Hashable, Sendable {
    /// The rate limit for its downloads together, in bytes per second; nil for no limit.
    public var rateBytesPerSecond: Int64?
    /// The maximum number of its downloads that run at the same time, at least 1; nil for no limit.
    public var maxConcurrent: Int?
    /// The quota of its downloads together in bytes, at least 1; nil for no limit.
    public var maxBytes: Int64?
    /// A text of the client about the session.
    public var description: String?
    /// The client's labels, as canonical JSON.
    public var labels: JSONText?
    /// How long the files of its downloads are kept, for new downloads without an own choice; nil for the setting.
    public var retention: FileRetention?
    /// The URL that receives `session.finished`.
    public var callbackURL: DownloadURL?
    /// The webhooks that receive the events of the session and of its downloads even if their session and label filters
    /// do not match, without duplicates.
    public var webhookIDs: [WebhookID]

    public init(
        rateBytesPerSecond: Int64? = nil,
        maxConcurrent: Int? = nil,
        maxBytes: Int64? = nil,
        description: String? = nil,
        labels: JSONText? = nil,
        callbackURL: DownloadURL? = nil,
        webhookIDs: [WebhookID] = []
    ) {
        self.rateBytesPerSecond = rateBytesPerSecond
        self.maxConcurrent = maxConcurrent
        self.maxBytes = maxBytes
        self.description = description
        self.labels = labels
        self.callbackURL = callbackURL
        self.webhookIDs = webhookIDs
    }
}

/// The precondition of a change to a session.
public enum SessionExpectation: Hashable, Sendable {
    case any
    /// The session does not exist.
    case absent
    /// The session has this revision.
    case revision(Int64)
}

/// The rate limit of a session at one revision.
public struct SessionRate: Hashable, Sendable {
    public let name: SessionName
    /// For its downloads together, in bytes per second; nil for no limit.
    public let bytesPerSecond: Int64?
    public let revision: Int64

    public init(name: SessionName, bytesPerSecond: Int64?, revision: Int64) {
        self.name = name
        self.bytesPerSecond = bytesPerSecond
        self.revision = revision
    }
}
