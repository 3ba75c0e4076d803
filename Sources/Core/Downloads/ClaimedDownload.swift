/// A claimed download with its recorded segments.
///
/// It is a class to save memory: each task of a running download would otherwise have several copies of the value.
public final class ClaimedDownload: Sendable {
    /// What the store knows beside the download.
    public struct Context: Hashable, Sendable {
        /// Whether the host has responded to a range request with the whole file before.
        public var hostRefusesRanges = false
        /// The rate limit of the download's session; nil without a session.
        public var sessionRate: SessionRate?
        /// Whether the download's session has a quota.
        public var hasQuota = false
        /// The number of the last recorded request; 0 if there is none.
        public var lastRequest = 0

        public init() {}
    }

    public let claim: Claim
    @usableFromInline package let boxedDownload: Box<Download>
    public let segments: [Segment]
    /// The recorded digests of the part file.
    public let blocks: [BlockDigest]
    public let context: Context

    public init(claim: Claim, download: Download, segments: [Segment], blocks: [BlockDigest] = [], _ context: Context) {
        self.claim = claim
        boxedDownload = Box(download)
        self.segments = segments
        self.blocks = blocks
        self.context = context
    }

    @inlinable public var download: Download { boxedDownload.value }
}
