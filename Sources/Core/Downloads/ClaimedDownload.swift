/// A claimed download with its recorded segments.
///
/// It is a class to save memory: each task of a running download would otherwise have several copies of the value.
public final class ClaimedDownload: Sendable {
    public let claim: Claim
    @usableFromInline package let boxedDownload: Box<Download>
    public let segments: [Segment]
    /// The recorded digests of the part file.
    public let blocks: [BlockDigest]
    /// Whether the host has responded to a range request with the whole file before.
    public let hostRefusesRanges: Bool
    /// The rate limit of the download's session; nil without a session.
    public let sessionRate: SessionRate?
    /// Whether the download's session has a quota.
    public let hasQuota: Bool
    /// The number of the last recorded request; 0 if there is none.
    public let lastRequest: Int

    public init(
        claim: Claim,
        download: Download,
        segments: [Segment],
        blocks: [BlockDigest] = [],
        hostRefusesRanges: Bool,
        sessionRate: SessionRate? = nil,
        hasQuota: Bool = false,
        lastRequest: Int
    ) {
        self.claim = claim
        boxedDownload = Box(download)
        self.segments = segments
        self.blocks = blocks
        self.hostRefusesRanges = hostRefusesRanges
        self.sessionRate = sessionRate
        self.hasQuota = hasQuota
        self.lastRequest = lastRequest
    }

    @inlinable public var download: Download { boxedDownload.value }
}
