public import Core
import Curl
public import TransferRules

/// How an attempt ended.
public enum AttemptOutcome: Sendable {
    /// The file is durable and in its place.
    case published(PublishedFile)
    /// `madeProgress`: bytes became durable that were not before.
    case interrupted(AttemptInterruption, madeProgress: Bool)

    init(_ interruption: AttemptInterruption, madeProgress: Bool) {
        self = .interrupted(interruption, madeProgress: madeProgress)
    }
}

/// Why an attempt ended before its file was published.
///
/// It is indirect to save memory: every suspended call that may throw it reserves room for it.
public indirect enum AttemptInterruption: Error {
    case failed(TransferFailure)
    /// The host must not be asked now. Nothing has failed, and the bytes are kept.
    case deferred(HostWait)
    /// The checkpoint sink could not record the progress.
    case unrecorded(any Error)
    /// The task was cancelled; the bytes are kept.
    case stopped
    /// The claim was lost: a pause, a cancellation or a newer claim ended it.
    case lost

    /// Whether another attempt may follow without a request of the user.
    var isFollowedByAnother: Bool {
        switch self {
        case .failed, .deferred, .unrecorded: true
        case .stopped, .lost: false
        }
    }

    /// The failure of a source; nil for an end that has nothing to do with sources.
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

    /// The body broke off.
    static func interrupted(by error: CurlError) -> Self {
        error.code == .aborted ? .stopped : .failed(TransferFailure(error, stage: .body))
    }
}

extension TransferFailure {
    /// The part file does not match its record.
    static let lostPart = Self(
        DownloadError(.workerLost, message: "The part file is missing."),
        failureClass: .startOver(tries: 3)
    )
}

/// A claimed download with everything that an attempt needs.
public struct Assignment: Sendable {
    public var download: Download
    /// The recorded segments of the current generation.
    public var segments: [Segment]
    /// The recorded block digests of its part file.
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

    /// The segments that lie within the file and do not contradict each other.
    var soundSegments: [Segment] { segments.believed(total: download.progress.totalBytes) }

    /// The URLs of the file. URLs that the origin named are used as long as bytes of the file are stored; for a file
    /// from byte 0 the origin is asked again.
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
    /// Whether bytes can be fetched from it besides those of another source. A stored text that is damaged is passed
    /// over.
    fileprivate var isMirror: Bool { isComplete && abilities.mirrors }
}
