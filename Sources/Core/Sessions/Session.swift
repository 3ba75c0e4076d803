/// A named group of downloads. It is created on first use, or by a client that sets its limits or labels.
public struct Session: Hashable, Sendable {
    public var name: SessionName
    /// The number of its next `session.finished` event: the number of earlier ones plus one.
    public var epoch: Int64 = 1
    /// The number of downloads that have not ended, including paused ones.
    public var openCount = 0
    public var createdAt: Timestamp
    /// When its last open download ended; nil before that, and while a download is open.
    public var finishedAt: Timestamp?
    /// When it was sealed, so that no new download is accepted; nil if it is not sealed.
    public var sealedAt: Timestamp?
    /// The bytes of its downloads that count for the quota (``Download/heldBytes``).
    public var usedBytes: Int64 = 0
    /// Counts the changes of ``settings``, and sealing.
    public var revision: Int64 = 1
    public var settings = SessionSettings()

    public var isSealed: Bool { sealedAt != nil }

    public init(name: SessionName, createdAt: Timestamp) {
        self.name = name
        self.createdAt = createdAt
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
