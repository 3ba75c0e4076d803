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

/// What ends an attempt before its file is in its place.
///
/// It is indirect for the sake of memory: every call that may throw it holds room for it as long as it waits.
public indirect enum AttemptInterruption: Error {
    case failed(TransferFailure)
    /// The host must not be asked now. Nothing has failed, and what had come is kept.
    case deferred(HostWait)
    /// What had become durable could not be recorded, for the reason that the checkpoint sink gave.
    case unrecorded(any Error)
    /// The task was cancelled; what had come is kept.
    case stopped
    /// The download was taken out of the attempt's hands.
    case lost

    /// Whether the download may be attempted again without anybody asking for it.
    var isFollowedByAnother: Bool {
        switch self {
        case .failed, .deferred, .unrecorded: true
        case .stopped, .lost: false
        }
    }

    /// What a source has a part in; nil for what ends the attempt whatever the sources do.
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
    /// The part file is not what the record says.
    static let lostPart = Self(
        DownloadError(.workerLost, message: "The part file is missing."),
        failureClass: .startOver(tries: 3)
    )
}

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

    /// The segments that lie within the file and do not contradict each other.
    var soundSegments: [Segment] { segments.believed(total: download.progress.totalBytes) }

    /// The URLs that the file can be fetched from. Those that the origin named count as long as bytes of the file are
    /// stored; for a file from its start the origin is asked again.
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
