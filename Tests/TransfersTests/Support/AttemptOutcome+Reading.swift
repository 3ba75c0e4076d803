import Core
import Transfer
import TransferRules

extension AttemptOutcome {
    var file: PublishedFile? {
        if case .published(let file) = self { file } else { nil }
    }

    var failure: TransferFailure? {
        if case .failed(let failure, _, _) = self { failure } else { nil }
    }

    var errorCode: DownloadError.Code? { failure?.error.code }

    var isSuspect: Bool {
        if case .failed(_, let isSuspect, _) = self { isSuspect } else { false }
    }

    var madeProgress: Bool {
        switch self {
        case .failed(_, _, let madeProgress), .held(_, let madeProgress), .unrecorded(_, let madeProgress): madeProgress
        case .published, .stopped, .lost: false
        }
    }

    var isUnrecorded: Bool {
        if case .unrecorded = self { true } else { false }
    }

    var isStopped: Bool {
        if case .stopped = self { true } else { false }
    }

    var isLost: Bool {
        if case .lost = self { true } else { false }
    }
}
