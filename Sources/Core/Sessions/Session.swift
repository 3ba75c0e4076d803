/// A named group of downloads, created on first use or by a client that sets its limits or labels.
public struct Session: Hashable, Sendable {
    public let name: SessionName
    /// The number of drains, plus one for the current epoch: the number of its next `session.finished`.
    public var epoch: Int64
    /// Downloads that have not ended, paused ones included.
    public var openCount: Int
    public var createdAt: Timestamp
    /// When it last drained; nil before, and while something is open.
    public var finishedAt: Timestamp?
    /// When it was sealed and closed to new downloads; nil if it is open.
    public var sealedAt: Timestamp?
    /// The bytes of its downloads (``Download/heldBytes``).
    public var usedBytes: Int64
    /// Counts the changes of ``settings``, and the seal.
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

    /// Its rate limit.
    public var rate: SessionRate {
        SessionRate(name: name, bytesPerSecond: settings.rateBytesPerSecond, revision: revision)
    }
}

/// A session with totals of its downloads.
public struct SessionSummary: Hashable, Sendable {
    public var session: Session
    /// The number of downloads in each state; empty states may be missing.
    public var counts: [DownloadState: Int]
    public var receivedBytes: Int64
    /// The sum of the known sizes.
    public var totalBytes: Int64

    public init(session: Session, counts: [DownloadState: Int], receivedBytes: Int64, totalBytes: Int64) {
        self.session = session
        self.counts = counts
        self.receivedBytes = receivedBytes
        self.totalBytes = totalBytes
    }
}

/// One drain of a session: the content of `session.finished`.
public struct SessionDrain: Hashable, Sendable {
    public var name: SessionName
    public var epoch: Int64
    /// Whether the session is sealed: no download can follow.
    public var isSealed: Bool
    /// The number of downloads per terminal state since the previous drain, deleted ones included.
    public var counts: [DownloadState: Int]
    public var receivedBytes: Int64
    /// When the first download of this epoch was made or retried.
    public var startedAt: Timestamp
    public var finishedAt: Timestamp
    /// The first hundred that failed.
    public var failed: [DownloadID]
    /// The number of the event that ended the last download.
    public var lastSequence: Int64
    /// Those of the session, as canonical JSON.
    public var labels: JSONText?
    /// The URL that receives it besides the webhooks.
    public var callbackURL: DownloadURL?
    /// As ``SessionSettings/webhookIDs``.
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

/// The settings of a session that clients change.
public struct SessionSettings: Hashable, Sendable {
    /// Bytes per second of its downloads together; nil for no limit.
    public var rateBytesPerSecond: Int64?
    /// How many of its downloads run at once, at least 1; nil for no limit.
    public var maxConcurrent: Int?
    /// Bytes of its downloads together, at least 1; nil for no limit.
    public var maxBytes: Int64?
    /// A text of the client about the session.
    public var description: String?
    /// Labels of the client.
    public var labels: JSONText?
    /// The URL that receives `session.finished`.
    public var callbackURL: DownloadURL?
    /// The webhooks that receive its events, and those of its downloads, whatever their filters say of sessions and
    /// labels; each once.
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

/// The precondition of a change of a session.
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
    /// Bytes per second of its downloads together; nil for no limit.
    public let bytesPerSecond: Int64?
    public let revision: Int64

    public init(name: SessionName, bytesPerSecond: Int64?, revision: Int64) {
        self.name = name
        self.bytesPerSecond = bytesPerSecond
        self.revision = revision
    }
}
