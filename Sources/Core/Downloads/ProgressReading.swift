/// The live progress of a running download: it is ahead of what is durable.
public struct ProgressReading: Hashable, Sendable {
    public var phase: DownloadPhase
    public var receivedBytes: Int64
    public var totalBytes: Int64?
    /// Received bytes that are hashed or compared so far; nil outside a verification.
    public var verifiedBytes: Int64?
    /// Bytes per second of the body, over the last seconds.
    public var bytesPerSecond: Double
    /// Connections to the origin that transfer bytes now.
    public var connections: Int
    /// The sources of the bytes, in their order; empty if nothing is known of them.
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

/// The state of a source of a running download.
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

/// The state of a source within its download.
public enum SourceState: Hashable, Sendable {
    case unused
    /// Bytes of the file came from it.
    case used
    /// It is not used while others remain.
    case left(Reason)

    public enum Reason: String, CaseIterable, Sendable {
        /// Its file differs, or nothing proves that it is the same.
        case differs
        /// Repeated requests got no byte.
        case failed
        /// The others are many times faster.
        case slow
        /// It does not support ranges.
        case noRanges = "no_ranges"
    }

    public var reason: Reason? {
        if case .left(let reason) = self { reason } else { nil }
    }

    /// Its word in the API.
    public var word: String {
        switch self {
        case .unused: "unused"
        case .used: "used"
        case .left: "left"
        }
    }
}
