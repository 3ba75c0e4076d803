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
