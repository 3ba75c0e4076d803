/// What a worker records of its durable bytes: all segments, and the digests of the blocks that are new since its last
/// checkpoint.
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
