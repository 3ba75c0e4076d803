public import Core

/// What a failure asks of the scheduler.
public enum FailureClass: Hashable, Sendable {
    /// It may pass: try again and keep the bytes.
    case transient(RetryLimits)
    /// The bytes cannot be relied on, or not be added to: begin again with a plain request, at most `tries` times.
    case startOver(tries: Int)
    /// Someone must give other credentials or another URL.
    case credentials
    /// The disk is full: wait for space.
    case space
    /// Reading or writing the part file failed: wait for the disk.
    case io
    /// No further attempt can help.
    case permanent
}

extension DownloadError {
    /// The class of this error, by its code, and by status or transport code if one code covers several cases.
    public var failureClass: FailureClass {
        switch code {
        case .httpClientError, .httpServerError: httpStatus.map(FailureClass.init(httpStatus:)) ?? .permanent
        case .authRequired: .credentials
        case .fileNotFound: .transient(.notFound)
        case .tlsFailed: Self.isTransientTLSFailure(transportCode) ? .transient(.tries(3)) : .permanent
        case .badResponse, .linkRefreshFailed: .transient(.tries(2))
        case .dnsFailure, .connectFailed, .proxyFailed, .timeout, .lowSpeed, .workerLost: .transient(.untilGivenUp)
        case .internal: .transient(.tries(3))
        case .rangeUnsupported, .sourceChanged: .startOver(tries: 3)
        case .contentDecoding, .invalidContentRange, .checksumMismatch: .startOver(tries: 1)
        case .diskFull: .space
        case .ioError: .io
        case .tooManyRedirects, .redirectForbidden, .destinationForbidden, .protocolForbidden, .tooLarge,
            .sizeMismatch, .deadlineExceeded, .fileExists, .originUnstable, .lengthUnverified, .metalinkInvalid,
            .hostKeyRejected, .quotaExceeded, .serviceCrashed:
            .permanent
        }
    }

    /// `CURLE_SSL_CONNECT_ERROR` and `CURLE_SSL_SHUTDOWN_FAILED` may come from the network; every other TLS code means
    /// certificates or settings.
    private static func isTransientTLSFailure(_ transportCode: Int?) -> Bool {
        transportCode == 35 || transportCode == 80
    }
}

extension FailureClass {
    /// The class of a 4xx or 5xx status (RFC 9110, 15.5 and 15.6; RFC 6585; 520 to 524 are those of CDNs whose own
    /// origin failed).
    public init(httpStatus: Int) {
        self =
            switch httpStatus {
            case 401, 403, 407: .credentials
            case 404: .transient(.notFound)
            case 408, 425, 429, 500, 502, 503, 504, 520...524: .transient(.untilGivenUp)
            case 511: .transient(.middlebox)
            case 500...599: .transient(.tries(2))
            default: .permanent
            }
    }
}

extension DownloadError {
    /// The error of a response with a 4xx or 5xx status.
    public init(httpStatus: Int) {
        let code: Code =
            switch httpStatus {
            case 401, 403, 407: .authRequired
            case 500...599: .httpServerError
            default: .httpClientError
            }
        self.init(code, message: "The origin answered with status \(httpStatus).", httpStatus: httpStatus)
    }
}

extension DownloadRequest {
    /// Whether a web page instead of the file most likely means an expired URL: a `refresh_url` is known, and the
    /// file's name is not that of a page.
    public var expectsNoPage: Bool {
        guard refreshURL != nil else { return false }
        let names = [filename?.value, FileName.lastPathComponent(ofURL: url.text)].compactMap { $0?.lowercased() }
        return !names.contains { name in Self.pageEndings.contains { name.hasSuffix($0) } }
    }

    private static let pageEndings = [".html", ".htm", ".xhtml", ".xht"]
}
