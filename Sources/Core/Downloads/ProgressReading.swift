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

/// How a source of a running download stands.
public struct SourceSnapshot: Hashable, Sendable {
    public var url: String
    public var standing: SourceState
    public var receivedBytes: Int64

    public init(url: String, standing: SourceState, receivedBytes: Int64) {
        self.url = url
        self.standing = standing
        self.receivedBytes = receivedBytes
    }
}

/// How a source stands in the download that it is a source of.
public enum SourceState: Hashable, Sendable {
    case unused
    /// Bytes of the file came from it.
    case used
    /// It is asked for no more, as long as others are left.
    case left(Reason)

    public enum Reason: String, CaseIterable, Sendable {
        /// Its file is another, or nothing proves that it is the same.
        case differs
        /// It was asked time and again, and no byte came.
        case failed
        /// The others bring bytes many times faster.
        case slow
        /// It sends no ranges.
        case noRanges = "no_ranges"
    }

    public var reason: Reason? {
        if case .left(let reason) = self { reason } else { nil }
    }

    /// The word that the API has for it.
    public var word: String {
        switch self {
        case .unused: "unused"
        case .used: "used"
        case .left: "left"
        }
    }
}
