public import Model

/// A download to work on, with what is needed to ask for it.
public struct Assignment: Sendable {
    public var download: Download
    /// What of the current generation is on the disk.
    public var segments: [Segment]
    /// What is known of the blocks of its part file.
    public var blocks: [BlockDigest]
    public var hostRefusesRanges: Bool
    public var credentials: RequestCredentials

    public init(
        download: Download,
        segments: [Segment] = [],
        blocks: [BlockDigest] = [],
        hostRefusesRanges: Bool = false,
        credentials: RequestCredentials = RequestCredentials()
    ) {
        self.download = download
        self.segments = segments
        self.blocks = blocks
        self.hostRefusesRanges = hostRefusesRanges
        self.credentials = credentials
    }
}
