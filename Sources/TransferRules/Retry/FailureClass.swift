public import Core

/// The class of a failure, which decides how the scheduler continues.
public enum FailureClass: Hashable, Sendable {
    /// A temporary failure: try again and keep the bytes.
    case transient(RetryLimits)
    /// The stored bytes are unreliable or cannot be continued: start again with a plain request, at most `retries`
    /// times.
    case startOver(retries: Int)
    /// Other credentials or another URL are required.
    case credentials
    /// The disk is full: wait until space is free.
    case space
    /// Reading or writing the part file failed: wait until the disk works again.
    case io
    /// A further attempt cannot succeed.
    case permanent
}

extension DownloadError {
    /// The class of this error. It follows from the code, or from the HTTP status or transport code if the code covers
    /// several cases.
    public var failureClass: FailureClass {
        switch code {
        case .httpClientError, .httpServerError: httpStatus.map(FailureClass.init(httpStatus:)) ?? .permanent
        case .authRequired: .credentials
        case .fileNotFound: .transient(.notFound)
        case .tlsFailed: Self.isTransientTLSFailure(curlCode) ? .transient(.untilGivenUp) : .permanent
        case .badResponse, .linkRefreshFailed: .transient(.retries(2))
        case .dnsFailure, .connectFailed, .transferFailed, .proxyFailed, .timeout, .lowSpeed, .workerLost:
            .transient(.untilGivenUp)
        case .internal: .transient(.retries(3))
        case .rangeUnsupported: .startOver(retries: 3)
        case .sourceChanged, .contentDecoding: .startOver(retries: RetryPolicy.maxRejections - 1)
        case .invalidContentRange, .checksumMismatch: .startOver(retries: 1)
        case .diskFull: .space
        case .ioError, .rootUnavailable: .io
        case .tooManyRedirects, .redirectForbidden, .destinationForbidden, .protocolForbidden, .tooLarge,
            .sizeMismatch, .deadlineExceeded, .fileExists, .originUnstable, .lengthUnverified, .metalinkInvalid,
            .hostKeyRejected, .quotaExceeded, .serviceCrashed, .unexpectedPage:
            .permanent
        }
    }

    /// `CURLE_SSL_CONNECT_ERROR` and `CURLE_SSL_SHUTDOWN_FAILED` may have a network cause. Every other TLS code means a
    /// problem with certificates or settings.
    private static func isTransientTLSFailure(_ curlCode: Int?) -> Bool {
        curlCode == 35 || curlCode == 80
    }
}

extension FailureClass {
    /// The class of a 4xx or 5xx status (RFC 9110, 15.5 and 15.6; RFC 6585). ``RetryPolicy/retryStatuses`` may differ.
    public init(httpStatus: Int) {
        self =
            switch httpStatus {
            case 401, 403, 407: .credentials
            case 404: .transient(.notFound)
            case _ where HTTPStatuses.transient.contains(httpStatus): .transient(.untilGivenUp)
            case 511: .transient(.middlebox)
            case 500...599: .transient(.retries(2))
            default: .permanent
            }
    }
}

extension DownloadError {
    /// The error for a response with a 4xx or 5xx status.
    public init(httpStatus: Int) {
        let code: Code =
            switch httpStatus {
            case 401, 403, 407: .authRequired
            case 404: .fileNotFound
            case 500...599: .httpServerError
            default: .httpClientError
            }
        self.init(code, message: "The origin answered with status \(httpStatus).", httpStatus: httpStatus)
    }
}
