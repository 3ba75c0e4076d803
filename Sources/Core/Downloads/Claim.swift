/// A worker's exclusive right to a download. Every write of the worker names it, and is refused once it is stale.
public struct Claim: Hashable, Sendable {
    public let id: DownloadID
    /// The process that claimed it.
    public let owner: String
    public let epoch: Int64

    public init(id: DownloadID, owner: String, epoch: Int64) {
        self.id = id
        self.owner = owner
        self.epoch = epoch
    }
}

/// A download together with the claim on it and the segments that are on the disk.
///
/// It is a class for the sake of memory: each task of a running download would hold several copies of a value.
public final class ClaimedDownload: Sendable {
    public let claim: Claim
    public let download: Download
    public let segments: [Segment]
    /// The recorded digests of its part file.
    public let blocks: [BlockDigest]
    /// Whether its host answered a range with the whole file before.
    public let hostRefusesRanges: Bool
    /// The rate limit of its session; nil if it belongs to none.
    public let sessionRate: SessionRate?
    /// Whether its session has a quota.
    public let hasQuota: Bool
    /// The number of its last recorded request; 0 if there is none.
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
        self.download = download
        self.segments = segments
        self.blocks = blocks
        self.hostRefusesRanges = hostRefusesRanges
        self.sessionRate = sessionRate
        self.hasQuota = hasQuota
        self.lastRequest = lastRequest
    }
}

/// A segment: a range of a part file that one connection fills.
public struct Segment: Hashable, Sendable {
    public let index: Int
    public let start: Int64
    /// One past the last byte; nil while the size of the whole is unknown.
    public var end: Int64?
    /// `start..<durableEnd` survives a power cut.
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
    /// The claim is stale: the download was paused, cancelled, deleted or claimed again. The worker must write nothing
    /// more; the bytes of a checkpoint may have been counted.
    case lost
}

extension FencedResult: Equatable where Value: Equatable {}

/// What a worker has made durable since its last checkpoint.
public struct Checkpoint: Hashable, Sendable {
    public var generation: Int
    public var source: Download.Source
    public var totalBytes: Int64?
    public var segments: [Segment]
    /// Digests of newly durable bytes; a later one with the same start covers more.
    public var blocks: [BlockDigest]
    /// The starts of damaged stretches: their records are no longer valid.
    public var forgottenBlocks: [Int64]
    /// Whether new bytes reset the count of failures. Bytes that only replace discarded ones do not: an origin that
    /// breaks off and supports no ranges would be retried without a pause and without an end.
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
        self.source = source
        self.totalBytes = totalBytes
        self.segments = segments
        self.blocks = blocks
        self.forgottenBlocks = forgottenBlocks
        self.isProgress = isProgress
    }
}
