public import TransferRules

/// What a running download has received, live: it runs ahead of what is durable.
public struct ProgressReading: Hashable, Sendable {
    public var phase: DownloadPhase
    public var receivedBytes: Int64
    public var totalBytes: Int64?
    /// Of the bytes received, how many are hashed or compared; nil while none are being verified.
    public var verifiedBytes: Int64?
    /// Of the body, over the last seconds.
    public var bytesPerSecond: Double
    /// Connections to the origin that bring bytes now.
    public var connections: Int
    /// Where the bytes come from, in the order of the sources; empty while nothing is known of them.
    public var sources: [SourceReading]

    public init(
        phase: DownloadPhase,
        receivedBytes: Int64,
        totalBytes: Int64?,
        verifiedBytes: Int64? = nil,
        bytesPerSecond: Double,
        connections: Int,
        sources: [SourceReading] = []
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

/// How a source of a running download stands.
public struct SourceReading: Hashable, Sendable {
    public var url: String
    public var standing: SourceStanding
    public var receivedBytes: Int64

    public init(url: String, standing: SourceStanding, receivedBytes: Int64) {
        self.url = url
        self.standing = standing
        self.receivedBytes = receivedBytes
    }
}
