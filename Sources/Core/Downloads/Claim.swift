/// A worker's right to a download. Every write of the worker names it, and is refused once it is stale.
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
    /// What is known of the blocks of its part file.
    public let blocks: [BlockDigest]
    /// Whether its host was seen to answer ranges with the whole.
    public let hostRefusesRanges: Bool
    /// The limit on the rate of its session; nil where it belongs to none.
    public let sessionRate: SessionRate?
    /// Whether its session limits the bytes that its downloads hold together.
    public let hasQuota: Bool
    /// The number of the last request that is recorded of it; 0 where none is.
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

/// A stretch of a part file that one connection fills.
public struct Segment: Hashable, Sendable {
    public let index: Int
    public let start: Int64
    /// One past the last byte; nil while the size of the whole is unknown.
    public var end: Int64?
    /// `start..<durableEnd` would survive the loss of power.
    public var durableEnd: Int64

    public init(index: Int, start: Int64, end: Int64?, durableEnd: Int64) {
        self.index = index
        self.start = start
        self.end = end
        self.durableEnd = durableEnd
    }
}

/// What the store answers to a write of a worker.
public enum FencedResult<Value: Sendable>: Sendable {
    case done(Value)
    /// The claim is stale: the download was paused, cancelled, deleted or claimed anew. Nothing more is to be written;
    /// the bytes of a checkpoint may have been counted yet.
    case lost
}

extension FencedResult: Equatable where Value: Equatable {}

/// What a worker has made durable since it last said so.
public struct Checkpoint: Hashable, Sendable {
    public var generation: Int
    public var source: Download.Source
    public var totalBytes: Int64?
    public var segments: [Segment]
    /// The digests of what became durable since the last checkpoint; a later one of the same start reaches further.
    public var blocks: [BlockDigest]
    /// The starts of those that turned out to be damaged: what was recorded of them holds no more.
    public var forgottenBlocks: [Int64]
    /// Whether new bytes forgive the failures before. Those that only make up for bytes that were thrown away do not:
    /// an origin that breaks off and serves no ranges would be asked without a pause and without an end.
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
