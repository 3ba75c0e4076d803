/// A named group of downloads, made on first use or by a client that has something to say of it.
public struct Session: Hashable, Sendable {
    public let name: SessionName
    /// Counts the times it drained, plus one for the drain under way: the number that its next
    /// `session.finished` carries.
    public var epoch: Int64
    /// Downloads that have not ended, paused ones included.
    public var openCount: Int
    public var createdAt: Timestamp
    /// When it last drained; nil before, and while something is open.
    public var finishedAt: Timestamp?
    /// When it was sealed, from when on it takes no new downloads; nil while it is open to them.
    public var sealedAt: Timestamp?
    /// What its downloads hold together (``Download/heldBytes``).
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

    /// The limit on its rate.
    public var rate: SessionRate {
        SessionRate(name: name, bytesPerSecond: settings.rateBytesPerSecond, revision: revision)
    }
}

/// A session with what its downloads add up to.
public struct SessionSummary: Hashable, Sendable {
    public var session: Session
    /// How many downloads stand in each state; states without one may be missing.
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

/// One drain of a session: what its `session.finished` event tells.
public struct SessionDrain: Hashable, Sendable {
    public var name: SessionName
    public var epoch: Int64
    /// Whether nothing new can follow: the session takes no further downloads.
    public var isSealed: Bool
    /// How many downloads ended in each terminal state since the drain before, those that were deleted since included.
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
    /// Who is told of it besides the webhooks; as ``SourceURL/text``.
    public var callbackURL: String?
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
        callbackURL: String? = nil,
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

/// What clients may say of a session.
public struct SessionSettings: Hashable, Sendable {
    /// The most that its downloads take together, in bytes per second; nil for no limit.
    public var rateBytesPerSecond: Int64?
    /// How many of its downloads run at once, at least 1; nil for no limit.
    public var maxConcurrent: Int?
    /// How many bytes its downloads hold together, at least 1; nil for no limit.
    public var maxBytes: Int64?
    /// The client's own names for it.
    public var labels: JSONText?
    /// Who is told when it has finished; as ``SourceURL/text``.
    public var callbackURL: String?
    /// The webhooks that receive its events, and those of its downloads, whatever their filters say of sessions and
    /// labels; each once.
    public var webhookIDs: [WebhookID]

    public init(
        rateBytesPerSecond: Int64? = nil,
        maxConcurrent: Int? = nil,
        maxBytes: Int64? = nil,
        labels: JSONText? = nil,
        callbackURL: String? = nil,
        webhookIDs: [WebhookID] = []
    ) {
        self.rateBytesPerSecond = rateBytesPerSecond
        self.maxConcurrent = maxConcurrent
        self.maxBytes = maxBytes
        self.labels = labels
        self.callbackURL = callbackURL
        self.webhookIDs = webhookIDs
    }
}

/// What a session is to be before it is changed.
public enum SessionExpectation: Hashable, Sendable {
    case any
    /// There is none.
    case absent
    /// It is there, with this revision.
    case revision(Int64)
}

/// The limit on the rate of a session, as one revision of it says.
public struct SessionRate: Hashable, Sendable {
    public let name: SessionName
    /// What its downloads take together; nil for no limit.
    public let bytesPerSecond: Int64?
    public let revision: Int64

    public init(name: SessionName, bytesPerSecond: Int64?, revision: Int64) {
        self.name = name
        self.bytesPerSecond = bytesPerSecond
        self.revision = revision
    }
}
