/// Why an attempt at a download failed.
///
/// `code` is a contract: it is stored, sent in webhooks and shown by the API. `message` may change at any time.
public struct DownloadError: Error, Hashable, Sendable {
    public let code: Code
    /// For a person. It carries no secret, so no query and no user info of a URL.
    public let message: String
    /// The status of the response that failed, if there was one.
    public let httpStatus: Int?
    /// libcurl's `CURLcode`, where the transport failed.
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
        /// The name could not be resolved.
        case dnsFailure = "dns_failure"
        /// No connection came about, or it was lost on the way.
        case connectFailed = "connect_failed"
        /// The proxy could not be reached, or refused to lead to the origin.
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
        /// The key of an SFTP server is not the one that the operator knows, or none is known.
        case hostKeyRejected = "host_key_rejected"
        /// 401, 403 or 407, or a login that was refused: other credentials or another URL are needed.
        case authRequired = "auth_required"
        case tooManyRedirects = "too_many_redirects"
        /// A redirect that the rules forbid, as one from https to http.
        case redirectForbidden = "redirect_forbidden"
        /// The destination policy refuses the address or the port.
        case destinationForbidden = "destination_forbidden"
        case protocolForbidden = "protocol_forbidden"
        /// Larger than the download may be.
        case tooLarge = "too_large"
        /// The body is encoded in a way that cannot be undone.
        case contentDecoding = "content_decoding"
        /// The origin serves no ranges where they are needed.
        case rangeUnsupported = "range_unsupported"
        /// The origin serves another version than the one begun.
        case sourceChanged = "source_changed"
        case invalidContentRange = "invalid_content_range"
        case checksumMismatch = "checksum_mismatch"
        /// The size is not the one that the request expects.
        case sizeMismatch = "size_mismatch"
        case diskFull = "disk_full"
        /// The downloads of the session would hold more bytes than it may have.
        case quotaExceeded = "quota_exceeded"
        case ioError = "io_error"
        /// The file's name is taken, and the request says to fail then.
        case fileExists = "file_exists"
        case deadlineExceeded = "deadline_exceeded"
        /// The process that worked on it went away.
        case workerLost = "worker_lost"
        /// The process ended, again and again, while it worked on it.
        case serviceCrashed = "service_crashed"
        /// A fault of this program.
        case `internal`
        /// The response breaks HTTP, or is not one that can carry the file.
        case badResponse = "bad_response"
        /// The file changes faster than it can be downloaded.
        case originUnstable = "origin_unstable"
        /// The body ended, but nothing proves that it ended where it should.
        case lengthUnverified = "length_unverified"
        /// The Metalink document cannot be read, or describes no single file.
        case metalinkInvalid = "metalink_invalid"
        /// The link was refused, and who was to give another one gave none that can be used.
        case linkRefreshFailed = "link_refresh_failed"
    }
}
