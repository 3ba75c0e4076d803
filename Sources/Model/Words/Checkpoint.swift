/// What a worker has made durable since it last said so.
public struct Checkpoint: Hashable, Sendable {
    public var generation: Int
    public var source: Download.Source
    public var totalBytes: Int64?
    public var segments: [Segment]
    /// Whether new bytes forgive the failures before. Those that only make up for bytes that were thrown away do not:
    /// an origin that breaks off and serves no ranges would be asked without a pause and without an end.
    public var isProgress: Bool

    public init(
        generation: Int,
        source: Download.Source,
        totalBytes: Int64?,
        segments: [Segment],
        isProgress: Bool = true
    ) {
        self.generation = generation
        self.source = source
        self.totalBytes = totalBytes
        self.segments = segments
        self.isProgress = isProgress
    }
}
