/// A request to an origin, with its time limits.
///
/// ```swift
/// let url = try ParsedURL("https://example.com/file.iso")
/// var request = TransferRequest(url: url)
/// request.headers = [HeaderField("User-Agent", "example/1"), HeaderField("Accept-Encoding", "identity")]
/// ```
public struct TransferRequest: Sendable {
    public enum Method: Hashable, Sendable {
        case get
        case post(body: [UInt8])
        /// OPTIONS: what the URL supports (RFC 9110, section 9.3.7).
        case options
    }

    public enum VersionPreference: Hashable, Sendable {
        /// HTTP/2 if TLS agrees on it, else HTTP/1.1.
        case negotiated
        case http1
    }

    /// Sent only to this request's URL.
    public struct Credentials: Hashable, Sendable {
        public enum Scheme: Hashable, Sendable {
            /// RFC 7617: sent at once.
            case basic
            /// RFC 7616: a first request is sent without them, and its 401 is not passed to the caller.
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

    /// A transfer is aborted when it stays below this speed for this time. Pauses of our own do not count.
    public struct LowSpeedLimit: Hashable, Sendable {
        public let bytesPerSecond: Int
        /// Counted in whole seconds, at least one.
        public let window: Duration

        public init(bytesPerSecond: Int, window: Duration) {
            self.bytesPerSecond = bytesPerSecond
            self.window = window
        }
    }

    /// Two files in PEM, or one that holds both.
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
        /// `scheme://host:port` without user information; of http, https, socks5 and socks5h.
        public let address: String
        public let user: String?
        public let password: String?
        /// Whether other requests must not use its connections.
        public let isPrivate: Bool

        public init(address: String, user: String? = nil, password: String? = nil, isPrivate: Bool = false) {
            self.address = address
            self.user = user
            self.password = password
            self.isPrivate = isPrivate
        }
    }

    /// Its user and password are not sent; ``credentials`` are.
    public var url: ParsedURL
    public var method = Method.get
    public var headers: [HeaderField] = []
    public var range: ByteRange?
    public var credentials: Credentials?
    public var versionPreference = VersionPreference.negotiated

    /// Name look-up, connection and TLS together.
    public var connectTimeout = Duration.seconds(10)
    /// From the start until the response's head is complete.
    public var headTimeout = Duration.seconds(60)
    /// From the start until the last byte; nil for no limit.
    public var totalTimeout: Duration?
    public var lowSpeedLimit: LowSpeedLimit? = LowSpeedLimit(bytesPerSecond: 1, window: .seconds(60))

    /// How much libcurl may read from the socket at once, 1 KiB to 10 MiB. Shrink it when many transfers run.
    public var receiveBufferBytes = 512 << 10
    /// The buffer while the response is validated, and the largest piece for the sink; at least 16 KiB.
    public var gatherBytes = 256 << 10
    /// Bounds on a response's head, counted over interim responses too.
    public var headLimits = HeadLimits()

    public var allowedSchemes: Set<ParsedURL.Scheme> = [.http, .https]
    /// nil sends it directly to the URL's host, whatever the environment says.
    public var proxy: Proxy?
    /// Whether this address, or the proxy's if there is one, is allowed. Called before each connect, and again before
    /// the request is sent, because a connection may be reused. It runs on the loop's thread and must not block.
    public var allowsAddress: @Sendable (SocketAddress) -> Bool = { _ in true }
    /// Called once libcurl has released the transfer, before the waiting task gets its end. It runs on the loop's
    /// thread and must not block.
    public var onClose: @Sendable () -> Void = {}
    /// A file of certificates to trust in place of the system's.
    public var certificateAuthorityFile: String?
    /// The client certificate, sent to an origin that requires one and has proved its name.
    public var clientCertificate: ClientCertificate?
    /// The file with the keys of trusted SSH servers, in the format of OpenSSH's `known_hosts` (sshd(8)). Without it no
    /// SFTP server is trusted.
    public var knownHostsFile: String?
    /// How long to wait for an FTP server to end the data connection once all bytes are received.
    public var endPatience = Duration.seconds(10)

    /// Whether the request must use a new connection.
    var needsFreshConnection = false

    public init(url: ParsedURL) {
        self.url = url
    }
}

/// The requested range (RFC 9110, section 14.1.2).
public enum ByteRange: Hashable, Sendable {
    /// From the first to the last byte, both included.
    case bytes(ClosedRange<Int64>)
    /// From this byte to the end.
    case from(Int64)

    /// In the form of `CURLOPT_RANGE`, without the unit.
    var text: String {
        switch self {
        case .bytes(let range): "\(range.lowerBound)-\(range.upperBound)"
        case .from(let first): "\(first)-"
        }
    }
}
