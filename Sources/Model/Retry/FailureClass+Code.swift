extension DownloadError {
    /// What this error asks of the scheduler, decided by its code, and by the status or transport code where one
    /// code covers several cases.
    public var failureClass: FailureClass {
        switch code {
        case .httpClientError, .httpServerError: httpStatus.map(FailureClass.init(httpStatus:)) ?? .permanent
        case .authRequired: .credentials
        case .fileNotFound: .transient(.notFound)
        case .tlsFailed: Self.isPassingTLSFailure(transportCode) ? .transient(.tries(3)) : .permanent
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

    /// `CURLE_SSL_CONNECT_ERROR` and `CURLE_SSL_SHUTDOWN_FAILED` come from the network too; every other TLS code
    /// speaks of certificates or settings.
    private static func isPassingTLSFailure(_ transportCode: Int?) -> Bool {
        transportCode == 35 || transportCode == 80
    }
}
