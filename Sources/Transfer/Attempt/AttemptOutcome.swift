public import Core
import Curl
public import TransferRules

/// How an attempt ended. It is indirect to save memory, like ``AttemptInterruption``.
public indirect enum AttemptOutcome: Sendable {
    /// The file is durable at its final path.
    case published(PublishedFile)
    /// `madeProgress` is true if the attempt made new bytes durable.
    case unpublished(AttemptInterruption, madeProgress: Bool)

    init(_ interruption: AttemptInterruption, madeProgress: Bool) {
        self = .unpublished(interruption, madeProgress: madeProgress)
    }

    /// Whether the disk of the root failed.
    var isOfDisk: Bool {
        guard case .unpublished(.source(.failed(let failure)), _) = self else { return false }
        return failure.failureClass == .io
    }
}

/// Why an attempt ended without publishing its file.
///
/// The enum is indirect to save memory: every suspended call that can throw it reserves space for it.
public indirect enum AttemptInterruption: Error {
    /// The last source failed, or its host must wait.
    case source(SourceFailure)
    /// The checkpoint sink could not record the progress.
    case unrecorded(any Error)
    /// The task was cancelled. The stored bytes are kept.
    case stopped
    /// The claim was lost to a pause, a cancellation or a newer claim.
    case lost

    /// Whether another attempt may follow without a user request.
    var isFollowedByAnother: Bool {
        switch self {
        case .source, .unrecorded: true
        case .stopped, .lost: false
        }
    }

    public static func failed(_ failure: TransferFailure) -> Self { .source(.failed(failure)) }

    public static func deferred(_ wait: HostWait) -> Self { .source(.deferred(wait)) }

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
        failureClass: .startOver(retries: 3)
    )
}
