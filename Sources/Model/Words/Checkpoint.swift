/// What a worker has made durable since it last said so.
public struct Checkpoint: Hashable, Sendable {
    public var generation: Int
    public var source: Download.Source
    public var totalBytes: Int64?
    public var segments: [Segment]

    public init(generation: Int, source: Download.Source, totalBytes: Int64?, segments: [Segment]) {
        self.generation = generation
        self.source = source
        self.totalBytes = totalBytes
        self.segments = segments
    }
}
