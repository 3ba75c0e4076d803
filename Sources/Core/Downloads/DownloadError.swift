/// Why an attempt at a download failed.
///
/// `code` is stable: it is stored, sent to webhooks and part of the API. `message` may change at any time.
public struct DownloadError: Error, Hashable, Sendable {
    public let code: Code
    /// A text for people. It contains no secret: neither the query nor the user information of a URL.
    public let message: String
    /// The HTTP status of the failed response; nil if there was none.
    public let httpStatus: Int?
    /// libcurl's `CURLcode`; nil if the transport did not fail.
    public let curlCode: Int?

    public init(_ code: Code, message: String, httpStatus: Int? = nil, curlCode: Int? = nil) {
        self.code = code
        self.message = message
        self.httpStatus = httpStatus
        self.curlCode = curlCode
    }
}

extension DownloadError {
    /// The stable error code.
    public enum Code: String, CaseIterable, Sendable {
        /// The host name could not be resolved.
        case dnsFailure = "dns_failure"
        /// No connection could be established, or it was lost.
        case connectFailed = "connect_failed"
        /// libcurl reported a failure that has no code of its own.
        case transferFailed = "transfer_failed"
        /// The proxy could not be reached, or refused to connect to the origin.
        case proxyFailed = "proxy_failed"
        /// The TLS handshake failed, or the certificate was refused.
        case tlsFailed = "tls_failed"
        /// Connecting to the origin, or its response, took too long.
        case timeout
        /// The body was too slow, or stopped.
        case lowSpeed = "low_speed"
        /// A 4xx status without its own code.
        case httpClientError = "http_client_error"
        /// A 5xx status.
        case httpServerError = "http_server_error"
        /// The origin does not have the file: a 404, or the refusal of an FTP or SFTP server.
        case fileNotFound = "file_not_found"
        /// The SFTP server's key is not in `known_hosts`, or no `known_hosts` file is configured.
        case hostKeyRejected = "host_key_rejected"
        /// A 401, 403 or 407, or a refused login: other credentials or another URL are needed.
        case authRequired = "auth_required"
        case tooManyRedirects = "too_many_redirects"
        /// The rules forbid the redirect, for example from https to http.
        case redirectForbidden = "redirect_forbidden"
        /// The destination policy refuses the address or the port.
        case destinationForbidden = "destination_forbidden"
        case protocolForbidden = "protocol_forbidden"
        /// The file is larger than the limit.
        case tooLarge = "too_large"
        /// The body has an encoding that cannot be decoded.
        case contentDecoding = "content_decoding"
        /// The origin does not support the required ranges.
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
        /// The root of the file is not in the settings, is not mounted, or is another one than before.
        case rootUnavailable = "root_unavailable"
        /// The file's name is taken, and `on_conflict` is `fail`.
        case fileExists = "file_exists"
        case deadlineExceeded = "deadline_exceeded"
        /// The process that ran the download has ended.
        case workerLost = "worker_lost"
        /// The process crashed repeatedly while the download ran.
        case serviceCrashed = "service_crashed"
        /// An internal error of this program.
        case `internal`
        /// The response is not valid HTTP, or cannot contain the file.
        case badResponse = "bad_response"
        /// The file changes too often to be downloaded.
        case originUnstable = "origin_unstable"
        /// The body ended, but nothing proves that it is complete.
        case lengthUnverified = "length_unverified"
        /// The Metalink document is invalid, or does not describe exactly one file.
        case metalinkInvalid = "metalink_invalid"
        /// The URL was refused, and `refresh_url` returned no usable URL.
        case linkRefreshFailed = "link_refresh_failed"
        /// The origin sent a web page, and the file is none by its name or its expected type.
        case unexpectedPage = "unexpected_page"
    }
}
