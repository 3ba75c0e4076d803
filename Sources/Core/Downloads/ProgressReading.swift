/// The live progress of a running download. It may be ahead of the durable progress.
public struct ProgressReading: Hashable, Sendable {
    public var phase: DownloadPhase
    public var receivedBytes: Int64
    public var totalBytes: Int64?
    /// The number of received bytes that were hashed or compared; nil outside a verification.
    public var verifiedBytes: Int64?
    /// The rate of the body over the last seconds, in bytes per second.
    public var bytesPerSecond: Double
    /// The number of connections to origins that are receiving bytes.
    public var connections: Int
    /// The sources of the bytes, in order; empty if unknown.
    public var sources: [SourceSnapshot]

    public init(
        phase: DownloadPhase,
        receivedBytes: Int64,
        totalBytes: Int64?,
        verifiedBytes: Int64? = nil,
        bytesPerSecond: Double,
        connections: Int,
        sources: [SourceSnapshot] = []
    ) {
        self.phase = phase
        self.receivedBytes = receivedBytes
        self.totalBytes = totalBytes
        self.verifiedBytes = verifiedBytes
        self.bytesPerSecond = bytesPerSecond
        self.connections = connections
        self.sources = sources
    }
}

/// The state and progress of a source of a running download.
public struct SourceSnapshot: Hashable, Sendable {
    public var url: DownloadURL
    public var state: SourceState
    public var receivedBytes: Int64

    public init(url: DownloadURL, state: SourceState, receivedBytes: Int64) {
        self.url = url
        self.state = state
        self.receivedBytes = receivedBytes
    }
}
