import Linux
import Model

extension ExitStatus {
    /// The exit code for a download that failed.
    init(_ error: DownloadError) {
        switch error.code {
        case .checksumMismatch, .sizeMismatch, .lengthUnverified, .tooLarge, .metalinkInvalid:
            self = .data
        case .dnsFailure, .connectFailed, .proxyFailed, .timeout, .lowSpeed, .deadlineExceeded:
            self = .unavailable
        case .fileNotFound, .httpClientError, .httpServerError, .tlsFailed, .tooManyRedirects, .redirectForbidden,
            .contentDecoding, .rangeUnsupported, .sourceChanged, .invalidContentRange, .badResponse, .originUnstable,
            .linkRefreshFailed:
            self = .protocol
        case .authRequired, .destinationForbidden, .hostKeyRejected: self = .permission
        case .protocolForbidden: self = .usage
        case .fileExists: self = .cannotCreate
        case .diskFull, .ioError, .quotaExceeded: self = .inputOutput
        case .workerLost, .serviceCrashed, .internal: self = .software
        }
    }

    /// The exit code for a folder that cannot be used.
    init(opening error: SystemError) {
        self = error.isPermissionDenied ? .permission : .cannotCreate
    }
}
