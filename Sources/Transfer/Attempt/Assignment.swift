public import Core
import Curl
import TransferRules

/// A claimed download, with everything that an attempt needs.
public struct Assignment: Sendable {
    /// The box of the claim, if no URL had to be decrypted: so a running download is in memory once.
    private(set) var boxedDownload: Box<Download>
    /// The recorded segments of the current generation.
    public var segments: [Segment]
    /// The recorded block digests of the part file.
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
        self.init(
            Box(download),
            segments: segments,
            blocks: blocks,
            hostRefusesRanges: hostRefusesRanges,
            credentials: credentials
        )
    }

    package init(
        _ download: Box<Download>,
        segments: [Segment],
        blocks: [BlockDigest],
        hostRefusesRanges: Bool,
        credentials: RequestCredentials
    ) {
        boxedDownload = download
        self.segments = segments
        self.blocks = blocks
        self.hostRefusesRanges = hostRefusesRanges
        self.credentials = credentials
    }

    public var download: Download {
        get { boxedDownload.value }
        _modify { yield &boxedDownload.value }
    }

    /// The recorded segments, without those that lie outside the file or contradict each other.
    var soundSegments: [Segment] { segments.believed(total: download.progress.totalBytes) }

    /// The URLs of the file. URLs named by the origin are used only while bytes of the file are stored. A file that
    /// starts at byte 0 takes them from the new response.
    var sourceURLs: [DownloadURL] {
        let request = download.request
        guard request.url.abilities.mirrors else { return [request.url] }
        let own = [request.url] + request.mirrors.filter(\.isMirror)
        guard !soundSegments.isEmpty else { return own }
        let named = download.source.mirrors.filter(\.isMirror)
        return download.source.isMetalink && !named.isEmpty ? named : own + named
    }
}

extension DownloadURL {
    /// Whether the URL can serve as an additional source. A damaged stored URL is skipped.
    fileprivate var isMirror: Bool { isComplete && abilities.mirrors }
}
