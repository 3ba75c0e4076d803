public import Core
public import TransferRules

/// How an attempt ended.
public indirect enum AttemptOutcome: Sendable {
    /// The file is durable and in its place.
    case published(PublishedFile)
    /// `madeProgress`: bytes became durable that were not before.
    case failed(TransferFailure, isSuspect: Bool = false, madeProgress: Bool)
    /// The host is not to be asked now. Nothing has failed, and what had come is kept.
    case deferred(HostWait, madeProgress: Bool)
    /// What had become durable could not be recorded, for the reason that the keeper gave.
    case unrecorded(any Error, madeProgress: Bool)
    /// The task was cancelled; what had come is kept.
    case stopped
    /// The download was taken out of the attempt's hands.
    case lost

    init(_ interruption: AttemptInterruption, madeProgress: Bool) {
        self =
            switch interruption {
            case .failed(let failure, let isSuspect):
                .failed(failure, isSuspect: isSuspect, madeProgress: madeProgress)
            case .deferred(let wait): .deferred(wait, madeProgress: madeProgress)
            case .unrecorded(let error): .unrecorded(error, madeProgress: madeProgress)
            case .stopped: .stopped
            case .lost: .lost
            }
    }
}

/// What ends an attempt before its file is in its place.
///
/// It is indirect for the sake of memory: every call that may throw it holds room for it as long as it waits.
indirect enum AttemptInterruption: Error {
    case failed(TransferFailure, isSuspect: Bool = false)
    case deferred(HostWait)
    case unrecorded(any Error)
    case stopped
    case lost

    /// Whether the download may be attempted again without anybody asking for it.
    var isFollowedByAnother: Bool {
        switch self {
        case .failed, .deferred, .unrecorded: true
        case .stopped, .lost: false
        }
    }

    static func failed(_ error: DownloadError) -> Self { .failed(TransferFailure(error)) }
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
}
