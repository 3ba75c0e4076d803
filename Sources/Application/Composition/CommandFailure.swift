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

/// Ends the command with a message on standard error and an exit code.
public struct CommandFailure: Error, Hashable, Sendable {
    public let status: ExitStatus
    /// For people. The program's name is printed before each line.
    let message: String

    public init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// The text for standard error.
    public var text: String {
        message.split(separator: "\n").map { "cormorant: \($0)\n" }.joined()
    }
}

extension CommandFailure {
    /// The failure if the service could not start or continue.
    public init(starting error: any Error) {
        switch error {
        case let failure as CommandFailure:
            self = failure
        case let error as HTTPServerError:
            self.init(ExitStatus(error), error.description)
        case let error as StoreError:
            self.init(ExitStatus(error), error.explanation)
        case let error as SystemError:
            self.init(
                error.isPermissionDenied ? .permission : .inputOutput,
                "a required system call failed: \(error.message)"
            )
        default:
            self.init(.software, "\(error)")
        }
    }

    /// The failure if the data folder could not be locked.
    init(locking path: String, _ error: FileLockError) {
        switch error {
        case .held(let process):
            let holder = process.map { "process \($0)" } ?? "another process"
            self.init(
                .unavailable,
                """
                the data folder '\(path)' is in use by \(holder)
                stop that process, or name another folder with --data-dir
                """
            )
        case .unavailable(let error):
            self.init(
                ExitStatus(opening: error),
                """
                the data folder '\(path)' cannot be written to: \(error.message)
                give this user the right to write there, or name another folder with --data-dir
                """
            )
        }
    }
}

extension CommandFailure {
    /// The failure if the process could not protect its memory and files (``ProcessHardening``).
    public init(hardening error: SystemError) {
        self.init(.software, "the memory of this process could not be protected: \(error.message)")
    }
}

extension ExitStatus {
    fileprivate init(_ error: HTTPServerError) {
        switch error {
        case .invalidAddress: self = .config
        case .addressInUse, .addressNotAvailable, .noIPv6, .cannotStart: self = .unavailable
        case .permissionDenied: self = .permission
        }
    }

    fileprivate init(_ error: StoreError) {
        switch error {
        case .unknownSchema: self = .config
        // These occurred while the service ran. Damage at the start is reported by `Application`.
        case .cannotOpen, .full, .outcomeUnknown, .failed, .corrupt, .unreadable, .unreadableDownloads:
            self = .inputOutput
        case .busy: self = .unavailable
        case .refused, .misuse, .closed, .quotaExceeded: self = .software
        }
    }
}

extension StoreError {
    /// Advice for an operator with a damaged database.
    static let damageAdvice = """
        keep a copy of the data folder, then restore cormorant.db from a backup, or save what can be read of it with \
        `sqlite3 cormorant.db .recover`
        """

    /// The error in words, and what to do.
    fileprivate var explanation: String {
        if case .corrupt = self { "\(self)\n\(Self.damageAdvice)" } else { "\(self)" }
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
