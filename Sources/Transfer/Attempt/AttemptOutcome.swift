public import Core
import Curl
public import TransferRules

/// How an attempt ended. It is indirect to save memory, like ``AttemptInterruption``.
public indirect enum AttemptOutcome: Sendable {
    /// The file is durable at its final path.
    case published(PublishedFile)
    /// `madeProgress` is true if the attempt made new bytes durable.
    case interrupted(AttemptInterruption, madeProgress: Bool)

    init(_ interruption: AttemptInterruption, madeProgress: Bool) {
        self = .interrupted(interruption, madeProgress: madeProgress)
    }

    /// Whether the disk of the root failed.
    var isOfDisk: Bool {
        guard case .interrupted(.failed(let failure), _) = self else { return false }
        return failure.failureClass == .io
    }
}

/// Why an attempt ended without publishing its file.
///
/// The enum is indirect to save memory: every suspended call that can throw it reserves space for it.
public indirect enum AttemptInterruption: Error {
    case failed(TransferFailure)
    /// No request to the host is allowed now. Nothing failed, and the stored bytes are kept.
    case deferred(HostWait)
    /// The checkpoint sink could not record the progress.
    case unrecorded(any Error)
    /// The task was cancelled. The stored bytes are kept.
    case stopped
    /// The claim was lost to a pause, a cancellation or a newer claim.
    case lost

    /// Whether another attempt may follow without a user request.
    var isFollowedByAnother: Bool {
        switch self {
        case .failed, .deferred, .unrecorded: true
        case .stopped, .lost: false
        }
    }

    /// The failure of a source; nil if the attempt ended for another reason.
    var sourceFailure: SourceFailure? {
        switch self {
        case .failed(let failure): .failed(failure)
        case .deferred(let wait): .deferred(wait)
        case .unrecorded, .stopped, .lost: nil
        }
    }

    init(_ failure: SourceFailure) {
        switch failure {
        case .failed(let failure): self = .failed(failure)
        case .deferred(let wait): self = .deferred(wait)
        }
    }

    static func failed(_ error: DownloadError) -> Self { .failed(TransferFailure(error)) }

    /// The interruption for a body that ended with an error.
    static func interrupted(by error: CurlError) -> Self {
        error.code == .aborted ? .stopped : .failed(TransferFailure(error, stage: .body))
    }
}

extension TransferFailure {
    /// The part file is missing although bytes are recorded for it.
    static let lostPart = Self(
        DownloadError(.workerLost, message: "The part file is missing."),
        failureClass: .startOver(tries: 3)
    )
}

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
