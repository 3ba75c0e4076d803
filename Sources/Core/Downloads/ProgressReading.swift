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

/// The state of a source within its download.
public enum SourceState: Hashable, Sendable {
    case unused
    /// Bytes of the file were received from it.
    case used
    /// It is not used as long as another source can be used.
    case left(Reason)

    public enum Reason: String, CaseIterable, Sendable {
        /// Its file is different, or cannot be proved to be the same.
        case differs
        /// Repeated requests returned no byte.
        case failed
        /// The other sources are many times faster.
        case slow
        /// It does not support ranges.
        case noRanges = "no_ranges"
    }

    public var reason: Reason? {
        if case .left(let reason) = self { reason } else { nil }
    }

    /// The state's name in the API.
    public var word: String {
        switch self {
        case .unused: "unused"
        case .used: "used"
        case .left: "left"
        }
    }
}
