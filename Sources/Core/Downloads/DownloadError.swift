/// Why an attempt at a download failed.
///
/// `code` is a contract: it is stored, sent in webhooks and shown by the API. `message` may change at any time.
public struct DownloadError: Error, Hashable, Sendable {
    public let code: Code
    /// For people. It has no secret: no query and no user info of a URL.
    public let message: String
    /// The status of the response that failed, if there was one.
    public let httpStatus: Int?
    /// libcurl's `CURLcode`, if the transport failed.
    public let transportCode: Int?

    public init(_ code: Code, message: String, httpStatus: Int? = nil, transportCode: Int? = nil) {
        self.code = code
        self.message = message
        self.httpStatus = httpStatus
        self.transportCode = transportCode
    }
}

extension DownloadError {
    /// The stable name of a cause.
    public enum Code: String, CaseIterable, Sendable {
        /// The host name could not be resolved.
        case dnsFailure = "dns_failure"
        /// No connection could be made, or it was lost.
        case connectFailed = "connect_failed"
        /// The proxy could not be reached, or refused to connect to the origin.
        case proxyFailed = "proxy_failed"
        /// The TLS handshake or the certificate was refused.
        case tlsFailed = "tls_failed"
        /// The origin did not connect or answer in time.
        case timeout
        /// The body came too slowly, or stopped.
        case lowSpeed = "low_speed"
        /// A 4xx status without a code of its own.
        case httpClientError = "http_client_error"
        /// A 5xx status.
        case httpServerError = "http_server_error"
        /// An FTP or SFTP server has no such file.
        case fileNotFound = "file_not_found"
        /// The key of an SFTP server is not in `known_hosts`, or that is not set.
        case hostKeyRejected = "host_key_rejected"
        /// 401, 403 or 407, or a login that was refused: other credentials or another URL are needed.
        case authRequired = "auth_required"
        case tooManyRedirects = "too_many_redirects"
        /// A redirect that the rules forbid, such as one from https to http.
        case redirectForbidden = "redirect_forbidden"
        /// The destination policy refuses the address or the port.
        case destinationForbidden = "destination_forbidden"
        case protocolForbidden = "protocol_forbidden"
        /// The file is larger than allowed.
        case tooLarge = "too_large"
        /// The body has an encoding that cannot be decoded.
        case contentDecoding = "content_decoding"
        /// The origin does not support the ranges that are needed.
        case rangeUnsupported = "range_unsupported"
        /// The origin's file has changed.
        case sourceChanged = "source_changed"
        case invalidContentRange = "invalid_content_range"
        case checksumMismatch = "checksum_mismatch"
        /// The size differs from the expected one.
        case sizeMismatch = "size_mismatch"
        case diskFull = "disk_full"
        /// The download exceeds the quota of its session.
        case quotaExceeded = "quota_exceeded"
        case ioError = "io_error"
        /// The file's name is taken, and `on_conflict` is `fail`.
        case fileExists = "file_exists"
        case deadlineExceeded = "deadline_exceeded"
        /// The process that ran it is gone.
        case workerLost = "worker_lost"
        /// The process crashed repeatedly while it ran.
        case serviceCrashed = "service_crashed"
        /// An internal error of this program.
        case `internal`
        /// The response is not valid HTTP, or cannot have the file.
        case badResponse = "bad_response"
        /// The file changes faster than it can be downloaded.
        case originUnstable = "origin_unstable"
        /// The body ended, but nothing proves that it is complete.
        case lengthUnverified = "length_unverified"
        /// The Metalink document is invalid, or does not describe exactly one file.
        case metalinkInvalid = "metalink_invalid"
        /// The URL was refused, and `refresh_url` gave no usable one.
        case linkRefreshFailed = "link_refresh_failed"
    }
}
