public import ArgumentParser
public import Core
import HTTPServer
public import Linux
import Store

/// The exit codes of `sysexits.h` that the program uses.
public enum ExitStatus: Int32, Sendable {
    /// The command line is wrong.
    case usage = 64
    /// The received data is not as expected.
    case data = 65
    /// What the command names does not exist: a download, a session, an input file.
    case noInput = 66
    /// A required resource is not available: a host, a port, the service.
    case unavailable = 69
    /// An internal error.
    case software = 70
    /// A file or folder cannot be created.
    case cannotCreate = 73
    /// A read or write failed, or the disk is full.
    case inputOutput = 74
    /// Another process uses the resource. A later attempt may succeed.
    case temporary = 75
    /// The server violates the protocol, or responds with an error.
    case `protocol` = 76
    /// Credentials or permissions are missing.
    case permission = 77
    /// The settings are wrong.
    case config = 78

    public var code: ExitCode { ExitCode(rawValue) }
}

extension ExitStatus {
    init(_ error: HTTPServerError) {
        switch error {
        case .invalidAddress: self = .config
        case .addressInUse, .addressNotAvailable, .noIPv6, .cannotStart: self = .unavailable
        case .permissionDenied: self = .permission
        }
    }

    init(_ error: StoreError) {
        switch error {
        case .unknownSchema: self = .config
        // These occurred while the service ran. Damage at the start is reported by `Application`.
        case .cannotOpen, .full, .outcomeUnknown, .failed, .corrupt, .unreadable, .unreadableDownloads:
            self = .inputOutput
        case .unavailable: self = .unavailable
        case .refused, .misuse, .closed, .quotaExceeded: self = .software
        }
    }
}

extension ExitStatus {
    /// The exit code for a failed download.
    public init(_ error: DownloadError) {
        switch error.code {
        case .checksumMismatch, .sizeMismatch, .lengthUnverified, .tooLarge, .metalinkInvalid:
            self = .data
        case .dnsFailure, .connectFailed, .transferFailed, .proxyFailed, .timeout, .lowSpeed, .deadlineExceeded:
            self = .unavailable
        case .fileNotFound, .httpClientError, .httpServerError, .tlsFailed, .tooManyRedirects, .redirectForbidden,
            .contentDecoding, .rangeUnsupported, .sourceChanged, .invalidContentRange, .badResponse, .originUnstable,
            .linkRefreshFailed, .unexpectedPage:
            self = .protocol
        case .authRequired, .destinationForbidden, .hostKeyRejected: self = .permission
        case .protocolForbidden: self = .usage
        case .fileExists: self = .cannotCreate
        case .diskFull, .ioError, .rootUnavailable, .quotaExceeded: self = .inputOutput
        case .workerLost, .serviceCrashed, .internal: self = .software
        }
    }

    /// The exit code for a folder that cannot be used.
    public init(opening error: SystemError) {
        self = error.isPermissionDenied ? .permission : .cannotCreate
    }
}
