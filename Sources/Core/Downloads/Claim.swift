/// A worker's exclusive right to a download. Each write of the worker includes it, and is refused if the claim is
/// stale.
public struct Claim: Hashable, Sendable {
    public let id: DownloadID
    /// The process of the worker.
    public let owner: String
    public let epoch: Int64

    public init(id: DownloadID, owner: String, epoch: Int64) {
        self.id = id
        self.owner = owner
        self.epoch = epoch
    }
}

/// A claimed download with its recorded segments.
///
/// It is a class to save memory: each task of a running download would otherwise have several copies of the value.
public final class ClaimedDownload: Sendable {
    public let claim: Claim
    @usableFromInline package let boxedDownload: Box<Download>
    public let segments: [Segment]
    /// The recorded digests of the part file.
    public let blocks: [BlockDigest]
    /// Whether the host has responded to a range request with the whole file before.
    public let hostRefusesRanges: Bool
    /// The rate limit of the download's session; nil without a session.
    public let sessionRate: SessionRate?
    /// Whether the download's session has a quota.
    public let hasQuota: Bool
    /// The number of the last recorded request; 0 if there is none.
    public let lastRequest: Int

    public init(
        claim: Claim,
        download: Download,
        segments: [Segment],
        blocks: [BlockDigest] = [],
        hostRefusesRanges: Bool,
        sessionRate: SessionRate? = nil,
        hasQuota: Bool = false,
        lastRequest: Int
    ) {
        self.claim = claim
        boxedDownload = Box(download)
        self.segments = segments
        self.blocks = blocks
        self.hostRefusesRanges = hostRefusesRanges
        self.sessionRate = sessionRate
        self.hasQuota = hasQuota
        self.lastRequest = lastRequest
    }

    @inlinable public var download: Download { boxedDownload.value }
}

/// A range of a part file that one connection fills.
public struct Segment: Hashable, Sendable {
    public let index: Int
    public let start: Int64
    /// One past the last byte; nil while the size of the file is unknown.
    public var end: Int64?
    /// The bytes `start..<durableEnd` survive a power failure.
    public var durableEnd: Int64

    public init(index: Int, start: Int64, end: Int64?, durableEnd: Int64) {
        self.index = index
        self.start = start
        self.end = end
        self.durableEnd = durableEnd
    }
}

/// The store's result of a worker's write.
public enum FencedResult<Value: Sendable>: Sendable {
    case done(Value)
    /// The claim is stale: the download was paused, cancelled, deleted or claimed again. The worker must not write
    /// again. The bytes of a checkpoint may have been counted nevertheless.
    case lost
}

extension FencedResult: Equatable where Value: Equatable {}

/// The durable changes of a worker since its last checkpoint.
public struct Checkpoint: Hashable, Sendable {
    public var generation: Int
    @usableFromInline var boxedSource: Box<Download.Source>
    public var totalBytes: Int64?
    public var segments: [Segment]
    /// The digests of newly durable bytes. A later digest with the same start covers more bytes.
    public var blocks: [BlockDigest]
    /// The starts of damaged ranges, whose recorded digests are invalid.
    public var forgottenBlocks: [Int64]
    /// Whether the bytes are new, which resets the count of failures. Bytes that only replace discarded ones do not:
    /// otherwise an origin without range support whose responses break off would be retried forever without a delay.
    public var isProgress: Bool

    public init(
        generation: Int,
        source: Download.Source,
        totalBytes: Int64?,
        segments: [Segment],
        blocks: [BlockDigest] = [],
        forgottenBlocks: [Int64] = [],
        isProgress: Bool = true
    ) {
        self.generation = generation
        boxedSource = Box(source)
        self.totalBytes = totalBytes
        self.segments = segments
        self.blocks = blocks
        self.forgottenBlocks = forgottenBlocks
        self.isProgress = isProgress
    }

    @inlinable public var source: Download.Source {
        get { boxedSource.value }
        _modify { yield &boxedSource.value }
    }
}
