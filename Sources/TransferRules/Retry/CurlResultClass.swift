/// The meaning of libcurl's result codes (`CURLcode`, libcurl-errors(3)) of versions 7.88 to 8.22.
///
/// The number alone decides, because libcurl's texts differ between versions. See docs/decisions/0052.
public enum CurlResultClass: Hashable, Sendable, CaseIterable {
    /// A code without a more exact meaning here, or one that is not in the table.
    case transferFailed
    /// This program asked for something that libcurl cannot do.
    case invalidRequest
    case outOfMemory
    /// A callback of this program refused bytes. The caller knows the cause.
    case callbackRefused
    /// Code 1: before the request the scheme is not supported; after it, the response is not valid HTTP.
    case unsupported
    case unresolvedProxy, unresolvedHost
    case unreachable, unreachableProxy
    /// The connection ended before a byte of the response.
    case noResponse
    /// The connection was lost while a request was sent or a response received.
    case lostSending, lostReceiving
    /// The body ended early.
    case partialBody
    case timeout
    /// Code 16 and 92: HTTP/2 itself failed.
    case http2Failed
    /// HTTP/3 itself failed.
    case http3Failed
    case badResponse
    /// The FTP server's reply cannot be used.
    case badReply
    case contentCoding
    /// The head or another buffer is too large for libcurl.
    case tooLarge
    case fileTooLarge
    case tooManyRedirects
    case restartRefused
    /// The requested byte is not in the file.
    case rangeFailed
    /// The file is shorter than the requested offset.
    case shorterFile
    case loginRefused, accessDenied, fileNotFound
    case sshFailed
    /// The TLS handshake or shutdown failed, perhaps because of the network.
    case tlsInterrupted
    /// A certificate or a setting of TLS was refused.
    case tlsRefused
    case clientCertificateRefused

    /// - Parameter code: A `CURLcode` other than 0. A number that is not in the table is ``transferFailed``.
    public init(code: Int) {
        self = CurlResult.byCode[code]?.class ?? .transferFailed
    }
}

/// One row of the table.
struct CurlResult {
    let code: Int
    /// The constant without its prefix `CURLE_`.
    let name: String
    let `class`: CurlResultClass

    private init(_ code: Int, _ name: String, _ class: CurlResultClass) {
        (self.code, self.name, self.class) = (code, name, `class`)
    }

    fileprivate static let byCode = Dictionary(uniqueKeysWithValues: all.map { ($0.code, $0) })

    static let all: [Self] = [
        Self(1, "UNSUPPORTED_PROTOCOL", .unsupported),
        Self(2, "FAILED_INIT", .transferFailed),
        Self(3, "URL_MALFORMAT", .invalidRequest),
        Self(4, "NOT_BUILT_IN", .invalidRequest),
        Self(5, "COULDNT_RESOLVE_PROXY", .unresolvedProxy),
        Self(6, "COULDNT_RESOLVE_HOST", .unresolvedHost),
        Self(7, "COULDNT_CONNECT", .unreachable),
        Self(8, "WEIRD_SERVER_REPLY", .badResponse),
        Self(9, "REMOTE_ACCESS_DENIED", .accessDenied),
        Self(10, "FTP_ACCEPT_FAILED", .badReply),
        Self(11, "FTP_WEIRD_PASS_REPLY", .badReply),
        Self(12, "FTP_ACCEPT_TIMEOUT", .badReply),
        Self(13, "FTP_WEIRD_PASV_REPLY", .badReply),
        Self(14, "FTP_WEIRD_227_FORMAT", .badReply),
        Self(15, "FTP_CANT_GET_HOST", .badReply),
        Self(16, "HTTP2", .http2Failed),
        Self(17, "FTP_COULDNT_SET_TYPE", .badReply),
        Self(18, "PARTIAL_FILE", .partialBody),
        Self(19, "FTP_COULDNT_RETR_FILE", .badReply),
        Self(20, "OBSOLETE20", .transferFailed),
        Self(21, "QUOTE_ERROR", .transferFailed),
        Self(22, "HTTP_RETURNED_ERROR", .transferFailed),
        Self(23, "WRITE_ERROR", .callbackRefused),
        Self(24, "OBSOLETE24", .transferFailed),
        Self(25, "UPLOAD_FAILED", .badReply),
        Self(26, "READ_ERROR", .callbackRefused),
        Self(27, "OUT_OF_MEMORY", .outOfMemory),
        Self(28, "OPERATION_TIMEDOUT", .timeout),
        Self(29, "OBSOLETE29", .transferFailed),
        Self(30, "FTP_PORT_FAILED", .badReply),
        Self(31, "FTP_COULDNT_USE_REST", .restartRefused),
        Self(32, "OBSOLETE32", .transferFailed),
        Self(33, "RANGE_ERROR", .rangeFailed),
        Self(34, "HTTP_POST_ERROR", .transferFailed),
        Self(35, "SSL_CONNECT_ERROR", .tlsInterrupted),
        Self(36, "BAD_DOWNLOAD_RESUME", .shorterFile),
        Self(37, "FILE_COULDNT_READ_FILE", .transferFailed),
        Self(38, "LDAP_CANNOT_BIND", .transferFailed),
        Self(39, "LDAP_SEARCH_FAILED", .transferFailed),
        Self(40, "OBSOLETE40", .transferFailed),
        Self(41, "FUNCTION_NOT_FOUND", .transferFailed),
        Self(42, "ABORTED_BY_CALLBACK", .transferFailed),
        Self(43, "BAD_FUNCTION_ARGUMENT", .invalidRequest),
        Self(44, "OBSOLETE44", .transferFailed),
        Self(45, "INTERFACE_FAILED", .unreachable),
        Self(46, "OBSOLETE46", .transferFailed),
        Self(47, "TOO_MANY_REDIRECTS", .tooManyRedirects),
        Self(48, "UNKNOWN_OPTION", .invalidRequest),
        Self(49, "SETOPT_OPTION_SYNTAX", .invalidRequest),
        Self(50, "OBSOLETE50", .transferFailed),
        Self(51, "OBSOLETE51", .transferFailed),
        Self(52, "GOT_NOTHING", .noResponse),
        Self(53, "SSL_ENGINE_NOTFOUND", .tlsRefused),
        Self(54, "SSL_ENGINE_SETFAILED", .tlsRefused),
        Self(55, "SEND_ERROR", .lostSending),
        Self(56, "RECV_ERROR", .lostReceiving),
        Self(57, "OBSOLETE57", .transferFailed),
        Self(58, "SSL_CERTPROBLEM", .tlsRefused),
        Self(59, "SSL_CIPHER", .tlsRefused),
        Self(60, "PEER_FAILED_VERIFICATION", .tlsRefused),
        Self(61, "BAD_CONTENT_ENCODING", .contentCoding),
        Self(62, "OBSOLETE62", .transferFailed),
        Self(63, "FILESIZE_EXCEEDED", .fileTooLarge),
        Self(64, "USE_SSL_FAILED", .tlsRefused),
        Self(65, "SEND_FAIL_REWIND", .lostSending),
        Self(66, "SSL_ENGINE_INITFAILED", .tlsRefused),
        Self(67, "LOGIN_DENIED", .loginRefused),
        Self(68, "TFTP_NOTFOUND", .fileNotFound),
        Self(69, "TFTP_PERM", .accessDenied),
        Self(70, "REMOTE_DISK_FULL", .transferFailed),
        Self(71, "TFTP_ILLEGAL", .transferFailed),
        Self(72, "TFTP_UNKNOWNID", .transferFailed),
        Self(73, "REMOTE_FILE_EXISTS", .transferFailed),
        Self(74, "TFTP_NOSUCHUSER", .transferFailed),
        Self(75, "OBSOLETE75", .transferFailed),
        Self(76, "OBSOLETE76", .transferFailed),
        Self(77, "SSL_CACERT_BADFILE", .tlsRefused),
        Self(78, "REMOTE_FILE_NOT_FOUND", .fileNotFound),
        Self(79, "SSH", .sshFailed),
        Self(80, "SSL_SHUTDOWN_FAILED", .tlsInterrupted),
        Self(81, "AGAIN", .transferFailed),
        Self(82, "SSL_CRL_BADFILE", .tlsRefused),
        Self(83, "SSL_ISSUER_ERROR", .tlsRefused),
        Self(84, "FTP_PRET_FAILED", .badReply),
        Self(85, "RTSP_CSEQ_ERROR", .transferFailed),
        Self(86, "RTSP_SESSION_ERROR", .transferFailed),
        Self(87, "FTP_BAD_FILE_LIST", .transferFailed),
        // Of an FTP callback that is not used, and not of a chunked body.
        Self(88, "CHUNK_FAILED", .transferFailed),
        Self(89, "NO_CONNECTION_AVAILABLE", .transferFailed),
        Self(90, "SSL_PINNEDPUBKEYNOTMATCH", .tlsRefused),
        Self(91, "SSL_INVALIDCERTSTATUS", .tlsRefused),
        Self(92, "HTTP2_STREAM", .http2Failed),
        Self(93, "RECURSIVE_API_CALL", .invalidRequest),
        Self(94, "AUTH_ERROR", .loginRefused),
        Self(95, "HTTP3", .http3Failed),
        Self(96, "QUIC_CONNECT_ERROR", .http3Failed),
        Self(97, "PROXY", .unreachableProxy),
        Self(98, "SSL_CLIENTCERT", .clientCertificateRefused),
        Self(99, "UNRECOVERABLE_POLL", .transferFailed),
        // From version 8.6.0.
        Self(100, "TOO_LARGE", .tooLarge),
        // From version 8.8.0.
        Self(101, "ECH_REQUIRED", .tlsRefused),
    ]
}
