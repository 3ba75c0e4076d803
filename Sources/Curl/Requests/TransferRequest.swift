public import URLs

/// A request to an origin, with its time limits.
///
/// ```swift
/// let url = try GivenURL(parsing: "https://example.com/file.iso").url
/// guard var request = TransferRequest(to: url) else { return }
/// request.headers = [HeaderField("User-Agent", "example/1"), HeaderField("Accept-Encoding", "identity")]
/// ```
public struct TransferRequest: Sendable {
    public enum Method: Hashable, Sendable {
        case get
        case post(body: [UInt8])
        /// OPTIONS requests the supported methods of the URL (RFC 9110, section 9.3.7).
        case options
        /// Any other method, such as `PATCH`, with a body or, as `DELETE`, without one. libcurl copies the body.
        case named(String, body: [UInt8]?)
        /// A method with a body that is read while it is sent, with `Content-Length` and without `Expect`. HTTP only.
        /// The request must not have a ``TransferRequest/range``, nor one of these fields itself.
        ///
        /// A response that arrives before the whole body was sent ends the sending, except for one of success (2xx).
        /// After an early success ``Exchange/receive(into:)`` fails with `uploadIncomplete` if the rest was not sent.
        ///
        /// If a connection that was used before ends before the first byte of a response, a PUT is sent again from its
        /// first byte. Another method may be too: the server has probably closed the idle connection.
        case upload(method: String = "PUT", UploadBody)
    }

    public enum VersionPreference: Hashable, Sendable {
        /// HTTP/2 if TLS negotiates it, otherwise HTTP/1.1.
        case negotiated
        case http1
        /// HTTP/3 (RFC 9114) on a connection of its own. If no QUIC connection comes about within a fraction of a
        /// second, libcurl also tries HTTP/2 and HTTP/1.1, and takes what connects first. Requires
        /// ``CurlLibrary/hasHTTP3``.
        case http3
    }

    /// Credentials for the origin of this request's URL.
    public struct Credentials: Hashable, Sendable {
        public enum Scheme: Hashable, Sendable {
            /// Basic authentication (RFC 7617), sent with the first request.
            case basic
            /// Digest authentication (RFC 7616). A first request is sent without credentials, and its 401 is not passed
            /// to the caller.
            case digest
        }

        public let scheme: Scheme
        public let user: String
        public let password: String

        public init(_ scheme: Scheme = .basic, user: String, password: String) {
            self.scheme = scheme
            self.user = user
            self.password = password
        }
    }

    /// A minimum speed. A transfer that is slower for the whole ``window`` is aborted. Pauses requested by the sink do
    /// not count.
    ///
    /// libcurl adds the bytes of both directions, and takes the mean of about five seconds. Sent bytes are those that
    /// the kernel has accepted, which may be megabytes ahead of the peer: on a slow line, a ``window`` below the time
    /// that the kernel's buffer takes aborts an upload that goes on.
    public struct LowSpeedLimit: Hashable, Sendable {
        public let bytesPerSecond: Int
        /// In whole seconds, at least one.
        public let window: Duration

        public init(bytesPerSecond: Int, window: Duration) {
            self.bytesPerSecond = bytesPerSecond
            self.window = window
        }
    }

    /// A client certificate and its key: two PEM files, or one that holds both.
    public struct ClientCertificate: Hashable, Sendable {
        public let file: String
        public let keyFile: String

        public init(file: String, keyFile: String) {
            self.file = file
            self.keyFile = keyFile
        }
    }

    /// The proxy of the request.
    public struct Proxy: Hashable, Sendable {
        /// `scheme://host:port` without user information. The scheme is http, https, socks5 or socks5h.
        public let address: String
        public let user: String?
        public let password: String?
        /// Whether its connections must not be shared with other requests.
        public let isPrivate: Bool

        public init(address: String, user: String? = nil, password: String? = nil, isPrivate: Bool = false) {
            self.address = address
            self.user = user
            self.password = password
            self.isPrivate = isPrivate
        }
    }

    /// The user and password of the URL are not sent; use ``credentials``.
    public let url: DownloadURL
    /// The scheme of ``url``.
    public let scheme: URLScheme
    public var method = Method.get
    public var headers: [HeaderField] = []
    public var range: ByteRange?
    public var credentials: Credentials?
    public var versionPreference = VersionPreference.negotiated

    /// The limit for name resolution, connection and TLS handshake together.
    public var connectTimeout = Duration.seconds(10)
    /// The limit from the start until the response's head is complete. For an upload it begins anew whenever bytes of
    /// the body leave this machine, so it limits the silence while the body is sent, and the wait after its last byte.
    public var headTimeout = Duration.seconds(60)
    /// The limit from the start until the last byte; nil for none.
    public var totalTimeout: Duration?
    public var lowSpeedLimit: LowSpeedLimit? = LowSpeedLimit(bytesPerSecond: 1, window: .seconds(60))

    /// The age above which a connection is not used again, in whole seconds; nil for none. A connection that is used
    /// all the time would keep the address that its host had when it was opened.
    public var connectionLifetime: Duration?

    /// The largest read from the socket, 1 KiB to 10 MiB. Reduce it when many transfers run.
    public var receiveBufferBytes = 512 << 10
    /// The present size of the buffer between libcurl and the sink, and of the largest piece for the sink; at least
    /// 16 KiB. It is read again whenever the buffer is empty, on the loop's thread, and must not block.
    public var gatherBytes: @Sendable () -> Int = { 256 << 10 }
    /// The maximum size of the response's head, including interim responses.
    public var headLimits = HeadLimits()

    public var allowedSchemes: Set<URLScheme> = [.http, .https]
    /// nil to connect directly to the URL's host, whatever the environment variables say.
    public var proxy: Proxy?
    /// Whether an address is allowed: that of the proxy if there is one, otherwise of the host. Called before each
    /// connection attempt, and again before the request is sent, because a connection may be reused. It runs on the
    /// loop's thread and must not block.
    public var allowsAddress: @Sendable (SocketAddress) -> Bool = { _ in true }
    /// Called after libcurl has released the transfer, before the waiting task gets the result. It runs on the loop's
    /// thread and must not block.
    public var onClose: @Sendable () -> Void = {}
    /// A file with the trusted certificates; nil for those of the system.
    public var certificateAuthorityFile: String?
    /// The client certificate. It is sent only to an origin that requires one and has proved its name.
    public var clientCertificate: ClientCertificate?
    /// The file with the keys of trusted SSH servers, in OpenSSH's `known_hosts` format (sshd(8)). Without it no SFTP
    /// server is trusted.
    public var knownHostsFile: String?
    /// How long to wait for an FTP server to close the data connection after all bytes were received.
    public var endPatience = Duration.seconds(10)

    /// Whether the request must use a new connection.
    var needsFreshConnection = false
    /// Whether libcurl must not use a `Content-Length`. A response without chunks is then refused.
    var ignoresContentLength = false

    /// A request to a URL; nil if its parts are missing (``DownloadURL/isComplete``).
    public init?(to url: DownloadURL) {
        guard url.isComplete, let scheme = url.supportedScheme else { return nil }
        self.url = url
        self.scheme = scheme
    }

    /// The number of bytes that are requested before the first byte of the range, and dropped.
    ///
    /// For SFTP it is one. libcurl 8.22 refuses to begin at the end of a file, with the code for a file that is
    /// shorter. So neither its size nor its time would be known.
    var leadingBytes: Int64 {
        guard scheme == .sftp, case .from(let first) = range, first > 0 else { return 0 }
        return 1
    }

    /// The request that replaces this one after a failure which a new connection avoids; nil after other failures.
    func repetition(after code: CurlError.Code) -> TransferRequest? {
        var next = self
        next.needsFreshConnection = true
        switch code {
        // No request was sent, or it may be sent twice (``Transfer/isLostUpload(_:)``).
        case .connectionSpoilt where !needsFreshConnection: return next
        // A failed POST may have been processed, so it must not be repeated (RFC 9110, section 9.2.2).
        case .lengthBesideChunks where !ignoresContentLength && method == .get:
            next.ignoresContentLength = true
            return next
        default: return nil
        }
    }
}

/// The requested range (RFC 9110, section 14.1.2).
public enum ByteRange: Hashable, Sendable {
    /// From the first to the last byte, inclusive.
    case bytes(ClosedRange<Int64>)
    /// From this byte to the end of the file.
    case from(Int64)

    /// The range in the format of `CURLOPT_RANGE`, without the unit.
    var text: String {
        switch self {
        case .bytes(let range): "\(range.lowerBound)-\(range.upperBound)"
        case .from(let first): "\(first)-"
        }
    }
}
