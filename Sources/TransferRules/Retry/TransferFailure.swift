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
    /// Whether the request was sent over HTTP/2.
    public var isOverHTTP2 = false
    /// The disk space without which the download would stop again, in bytes; nil if that is not known.
    public var missingBytes: Int64?
    /// Whether a file server had accepted the login before it failed to serve the URL, such as a folder.
    public var isAfterLogin = false

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
    public init?(curlCode: Int, ftpReply reply: Int) {
        if curlCode == 9, reply == 550 {
            // CURLE_REMOTE_ACCESS_DENIED: CWD failed. The reply is the same for a missing and for a forbidden folder.
            self.init(
                DownloadError(
                    .fileNotFound,
                    message: "The server does not have the folder, or does not allow access to it.",
                    curlCode: 9
                )
            )
            return
        }
        guard (400...499).contains(reply) else { return nil }
        switch curlCode {
        // CURLE_PARTIAL_FILE, CURLE_SEND_ERROR, CURLE_RECV_ERROR: the body was interrupted.
        case 18, 55, 56: return nil
        // CURLE_OPERATION_TIMEDOUT. libcurl also reports it for the reply 421.
        case 28 where reply != 421: return nil
        default:
            let error = DownloadError(
                .connectFailed,
                message: "The server cannot serve the file now: it answered with \(reply).",
                curlCode: curlCode
            )
            self.init(error)
        }
    }
}

extension TransferFailure {
    /// Whether the host answered, and only this URL failed. Such a failure is no evidence about the host: other URLs
    /// may work.
    ///
    /// * No name, no connection, no TLS, silence and a slow body are evidence, unless a file server had accepted the
    ///   login before.
    /// * `http_server_error` is judged by its status, elsewhere.
    /// * `bad_response` and every other code are none: the host answered, or the cause is here.
    public var concernsURL: Bool {
        switch error.code {
        case .connectFailed, .transferFailed: isAfterLogin
        case .dnsFailure, .tlsFailed, .timeout, .lowSpeed, .proxyFailed, .httpServerError: false
        default: true
        }
    }

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
        curlCode: Int,
        stage: Stage,
        nameDoesNotExist: Bool = false,
        isOfFileServer: Bool = false
    ) {
        let fault =
            (isOfFileServer ? Self.fileServerFault(curlCode) : nil) ?? Self.fault(curlCode, stage: stage)
        let isUnknown = curlCode == 6 && nameDoesNotExist
        let message = isUnknown ? "The host name does not exist." : fault.message
        let error = DownloadError(fault.code, message: message, curlCode: curlCode)
        self.init(error, failureClass: isUnknown ? .transient(.unknownName) : fault.class)
    }

    /// Whether HTTP/2 itself failed. Before the response, an early end counts, which HTTP/1.1 does not cause at that
    /// stage, and the loss of a connection over HTTP/2: libcurl 8 reports GOAWAY so.
    public func isFaultOfHTTP2(at stage: Stage) -> Bool {
        switch error.curlCode.map(CurlResultClass.init(code:)) {
        case .http2Failed: true
        case .partialBody: stage == .header
        case .lostSending, .lostReceiving, .noResponse: stage == .header && isOverHTTP2
        default: false
        }
    }

    /// Whether the connection ended in its TLS handshake, or after it without a byte of a response.
    public var isWithoutResponse: Bool {
        switch error.curlCode.map(CurlResultClass.init(code:)) {
        case .tlsInterrupted, .noResponse, .lostSending, .lostReceiving: true
        default: false
        }
    }

    private struct Fault {
        let code: DownloadError.Code
        let message: String
        /// nil means the default class of the code.
        var `class`: FailureClass?
    }

    private static func fault(_ curlCode: Int, stage: Stage) -> Fault {
        switch CurlResultClass(code: curlCode) {
        case .unresolvedHost, .unresolvedProxy:
            Fault(code: .dnsFailure, message: "The host name could not be resolved.")
        case .unreachable, .unreachableProxy: Fault(code: .connectFailed, message: "The origin could not be reached.")
        case .noResponse:
            Fault(code: .connectFailed, message: "The origin closed the connection without a response.")
        case .lostSending, .lostReceiving: Fault(code: .connectFailed, message: "The connection was lost.")
        case .partialBody: Fault(code: .connectFailed, message: "The body ended early.")
        case .timeout where stage == .body: Fault(code: .lowSpeed, message: "The body came too slowly.")
        case .timeout: Fault(code: .timeout, message: "The origin did not answer in time.")
        case .http2Failed, .http3Failed:
            Fault(code: .connectFailed, message: "The HTTP/2 or HTTP/3 stream failed.")
        case .sshFailed: Fault(code: .connectFailed, message: "The SSH connection failed.")
        case .badResponse: Fault(code: .badResponse, message: "The response is not valid HTTP.")
        case .tooLarge where stage == .header:
            Fault(code: .badResponse, message: "The head of the response is too large.")
        case .badReply: Fault(code: .badResponse, message: "The FTP server's reply cannot be used.")
        // At this stage it is a coding of the transfer.
        case .contentCoding where stage == .header:
            Fault(code: .badResponse, message: "The body's encoding is not supported.")
        case .contentCoding: Fault(code: .contentDecoding, message: "The body's encoding is not supported.")
        case .unsupported: Fault(code: .protocolForbidden, message: "The URL's scheme is not supported.")
        case .restartRefused, .rangeFailed, .shorterFile:
            Fault(code: .rangeUnsupported, message: "The download cannot be resumed.")
        case .fileTooLarge: Fault(code: .tooLarge, message: "The file is larger than allowed.")
        case .tooManyRedirects: Fault(code: .tooManyRedirects, message: "There are too many redirects.")
        case .loginRefused: Fault(code: .authRequired, message: "The origin refused the login.")
        case .accessDenied: Fault(code: .authRequired, message: "The server denies access to the file or its folder.")
        case .fileNotFound: Fault(code: .fileNotFound, message: "The server does not have the file.")
        case .tlsInterrupted:
            Fault(code: .tlsFailed, message: "The TLS handshake was interrupted.", class: .transient(.untilGivenUp))
        case .tlsRefused:
            Fault(code: .tlsFailed, message: "No trusted TLS connection could be made.", class: .permanent)
        case .clientCertificateRefused:
            Fault(code: .tlsFailed, message: "The origin refused the client certificate.", class: .permanent)
        case .callbackRefused: Fault(code: .ioError, message: "The bytes could not be written.")
        case .outOfMemory: Fault(code: .internal, message: "Memory ran out.", class: .transient(.untilGivenUp))
        case .invalidRequest: Fault(code: .internal, message: "The request could not be sent.", class: .permanent)
        case .transferFailed, .tooLarge:
            Fault(code: .transferFailed, message: "The transfer failed with code \(curlCode) of libcurl.")
        }
    }

    /// Codes with a different meaning for file servers.
    private static func fileServerFault(_ curlCode: Int) -> Fault? {
        switch curlCode {
        case 2: Fault(code: .connectFailed, message: "The SSH session could not be opened.")
        case 8: Fault(code: .badResponse, message: "The server's reply cannot be used.")
        case 52: Fault(code: .connectFailed, message: "The server closed the connection.")
        case 94: Fault(code: .authRequired, message: "The server refused the login.")
        default: nil
        }
    }
}
