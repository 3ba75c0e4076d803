public import Core
public import HTTPFields

/// The failure of an attempt, with everything that the retry decision depends on.
public struct TransferFailure: Error, Hashable, Sendable {
    public let error: DownloadError
    public let failureClass: FailureClass
    /// The delay that the origin requires.
    public let retryAfter: RetryAfter?
    /// The host that responded, as `host:port`, after redirects; nil if there was no response.
    public var authority: String?
    /// The actual cause, for the log only, if clients must not see it.
    public var cause: String?
    /// Whether the response seemed not to come from the origin, such as a login page.
    public var isSuspect = false

    /// - Parameter failureClass: nil means the error's own class.
    public init(
        _ error: DownloadError,
        failureClass: FailureClass? = nil,
        retryAfter: RetryAfter? = nil,
        authority: String? = nil
    ) {
        self.error = error
        self.failureClass = failureClass ?? error.failureClass
        self.retryAfter = retryAfter
        self.authority = authority
    }
}

extension TransferFailure {
    /// The body is longer than the stated size: the file has grown, is a different one, or was sent from another offset
    /// than requested.
    public static let longerThanTold = TransferFailure(
        DownloadError(.sourceChanged, message: "The server sends more bytes than the stated size of the file.")
    )

    /// Nothing shows whether the bytes are the requested ones, or whether they are complete.
    public static let endNotSeen = TransferFailure(
        DownloadError(.sourceChanged, message: "The server does not state the size of the file.")
    )

    /// Maps libcurl's `CURLcode` with an FTP server's last reply. Returns nil if the reply adds nothing to the code.
    ///
    /// - Parameter reply: The FTP reply code. 4xx means a transient failure, 5xx a permanent one (RFC 959, section
    ///   4.2.1).
    public init?(transportCode: Int, ftpReply reply: Int) {
        if transportCode == 9, reply == 550 {
            // CURLE_REMOTE_ACCESS_DENIED: CWD failed. The reply is the same for a missing and for a forbidden folder.
            self.init(
                DownloadError(
                    .fileNotFound,
                    message: "The server does not have the folder, or does not allow access to it.",
                    transportCode: 9
                )
            )
            return
        }
        guard (400...499).contains(reply) else { return nil }
        switch transportCode {
        // CURLE_PARTIAL_FILE, CURLE_SEND_ERROR, CURLE_RECV_ERROR: the body was interrupted.
        case 18, 55, 56: return nil
        // CURLE_OPERATION_TIMEDOUT. libcurl also reports it for the reply 421.
        case 28 where reply != 421: return nil
        default:
            let error = DownloadError(
                .connectFailed,
                message: "The server cannot serve the file now: it answered with \(reply).",
                transportCode: transportCode
            )
            self.init(error)
        }
    }
}

extension TransferFailure {
    /// The same failure, marked as a response that seemed not to come from the origin.
    public var suspect: Self {
        var failure = self
        failure.isSuspect = true
        return failure
    }

    /// Whether another source may succeed. Failures of the disk, and a file that keeps changing, do not depend on the
    /// source.
    public var concernsSource: Bool {
        failureClass.concernsSource && error.code != .workerLost && error.code != .originUnstable
            && error.code != .internal && error.code != .quotaExceeded
    }
}

/// Why a source failed.
public indirect enum SourceFailure: Error, Hashable, Sendable {
    case failed(TransferFailure)
    /// Its host must wait before the next request. The source has not failed.
    case deferred(HostWait)
}

extension TransferFailure {
    /// The stage of the exchange at which the transport failed.
    public enum Stage: Hashable, Sendable {
        /// Before the response header was complete.
        case header
        /// During the body.
        case body
    }

    /// Maps libcurl's `CURLcode` (libcurl-errors(3)), which must not be 0.
    ///
    /// Some codes only reflect an action of this program: 23 and 26 follow from a callback that refused data, 42 from
    /// an abort, and 7 from an address that the destination policy refused. A caller that knows the actual cause must
    /// report it instead.
    ///
    /// - Parameters:
    ///   - nameDoesNotExist: Whether the resolver reported that the name does not exist. Code 6 alone also covers
    ///     temporary resolver failures.
    ///   - isOfFileServer: Whether the server was a file server (FTP, SFTP).
    public init(
        transportCode: Int,
        stage: Stage,
        nameDoesNotExist: Bool = false,
        isOfFileServer: Bool = false
    ) {
        let fault =
            (isOfFileServer ? Self.fileServerFault(transportCode) : nil) ?? Self.fault(transportCode, stage: stage)
        let isUnknown = transportCode == 6 && nameDoesNotExist
        let message = isUnknown ? "The host name does not exist." : fault.message
        let error = DownloadError(fault.code, message: message, transportCode: transportCode)
        self.init(error, failureClass: isUnknown ? .transient(.unknownName) : fault.class)
    }

    /// Whether HTTP/2 itself failed: `CURLE_HTTP2`, `CURLE_HTTP2_STREAM`; before the response also
    /// `CURLE_PARTIAL_FILE`, which HTTP/1.1 does not cause at that stage.
    public func isFaultOfHTTP2(at stage: Stage) -> Bool {
        switch error.transportCode {
        case 16, 92: true
        case 18: stage == .header
        default: false
        }
    }

    private struct Fault {
        let code: DownloadError.Code
        let message: String
        /// nil means the default class of the code.
        var `class`: FailureClass?
    }

    private static func fault(_ transportCode: Int, stage: Stage) -> Fault {
        switch transportCode {
        case 5, 6, 7, 52, 55, 56, 65, 97: connectionFault(transportCode)
        case 8: Fault(code: .badResponse, message: "The response is not valid HTTP.")
        // At this stage the code means that the list of content codings is too long.
        case 61 where stage == .header: Fault(code: .badResponse, message: "The body's encoding is not supported.")
        case 18: Fault(code: .connectFailed, message: "The body ended early.")
        case 28 where stage == .body: Fault(code: .lowSpeed, message: "The body came too slowly.")
        case 28: Fault(code: .timeout, message: "The origin did not answer in time.")
        case 16, 92, 95, 96: Fault(code: .connectFailed, message: "The HTTP/2 or HTTP/3 stream failed.")
        case 23, 26: Fault(code: .ioError, message: "The bytes could not be written.")
        case 27: Fault(code: .internal, message: "Memory ran out.", class: .transient(.untilGivenUp))
        case 31, 33, 36: Fault(code: .rangeUnsupported, message: "The download cannot be resumed.")
        case 35, 53, 54, 58, 59, 60, 64, 66, 77, 80, 83, 90, 91:
            Fault(code: .tlsFailed, message: "No trusted TLS connection could be made.")
        case 98: Fault(code: .tlsFailed, message: "The origin refused the client certificate.")
        case 47: Fault(code: .tooManyRedirects, message: "There are too many redirects.")
        case 61: Fault(code: .contentDecoding, message: "The body's encoding is not supported.")
        case 63: Fault(code: .tooLarge, message: "The file is larger than allowed.")
        case 67: Fault(code: .authRequired, message: "The origin refused the login.")
        case 9: Fault(code: .authRequired, message: "The server denies access to the file or its folder.")
        case 78: Fault(code: .fileNotFound, message: "The server does not have the file.")
        case 79: Fault(code: .connectFailed, message: "The SSH connection failed.")
        case 10...15, 17, 19, 25, 30, 84:
            Fault(code: .badResponse, message: "The FTP server's reply cannot be used.")
        case 1: Fault(code: .protocolForbidden, message: "The URL's scheme is not supported.")
        case 3, 4, 43, 48: Fault(code: .internal, message: "The request could not be sent.", class: .permanent)
        default: Fault(code: .internal, message: "The transfer failed with code \(transportCode).")
        }
    }

    /// Codes with a different meaning for file servers.
    private static func fileServerFault(_ transportCode: Int) -> Fault? {
        switch transportCode {
        case 2: Fault(code: .connectFailed, message: "The SSH session could not be opened.")
        case 8: Fault(code: .badResponse, message: "The server's reply cannot be used.")
        case 52: Fault(code: .connectFailed, message: "The server closed the connection.")
        case 94: Fault(code: .authRequired, message: "The server refused the login.")
        default: nil
        }
    }

    private static func connectionFault(_ transportCode: Int) -> Fault {
        switch transportCode {
        case 5, 6: Fault(code: .dnsFailure, message: "The host name could not be resolved.")
        case 7, 97: Fault(code: .connectFailed, message: "The origin could not be reached.")
        case 52: Fault(code: .connectFailed, message: "The origin closed the connection without a response.")
        default: Fault(code: .connectFailed, message: "The connection was lost.")
        }
    }
}
