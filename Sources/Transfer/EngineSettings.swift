public import Core
public import HTTPFields
public import TransferRules

/// What an operator may set about the engine.
public struct EngineSettings: Sendable {
    /// Threads that drive libcurl.
    public var loops: Int
    /// The allowed destinations.
    public var destinations: DestinationPolicy
    /// Sent unless a download has its own.
    public var userAgent: String
    /// The digest that every file gets; nil for none but those that a download expects.
    public var digest: DigestAlgorithm?
    /// The most bytes that a file may have, whatever its download allows; nil for no limit.
    public var maxDownloadBytes: Int64?
    /// Room on the disk that downloads leave free.
    public var minFreeBytes: Int64
    /// Free space, in bytes, at which waiting downloads continue; nil for ``minFreeBytes`` plus 5 %.
    public var resumeFreeBytes: Int64?
    /// The permissions of a finished file.
    public var fileMode: UInt32
    /// The permissions of a folder that is made for one.
    public var folderMode: UInt32
    /// More bytes than this are flushed, and recorded, at once.
    public var flushBytes: Int64
    /// What was written is flushed, and recorded, at least this often.
    public var flushInterval: Duration
    /// The lowest speed of a download. A slower attempt ends and is retried later; nil for only ``leastPace``.
    public var lowSpeedLimit: LowSpeedLimit?
    /// In bytes per second. A body that is slower for ``slowTime`` is stopped.
    public var leastPace: Int
    /// Counted in whole seconds, at least one.
    public var slowTime: Duration
    /// How long an idle connection is kept.
    public var longestIdleness: Duration
    /// The connections of a download without a limit of its own, 1 to 32.
    public var connections: Int
    /// The maximum of connections of one download.
    public var maxConnections: Int
    /// The most connections to one host and port, of all downloads together.
    public var connectionsPerHost: Int
    /// When a host is asked for fewer.
    public var hostRules: HostRules
    /// When further ones are opened for a file.
    public var ramp: RampRules
    /// What all downloads together may take, in bytes per second; nil for no limit.
    public var rateLimit: Int64?
    /// What the downloads from one host (`host:port`) together may take, in bytes per second; nil for no limit.
    public var rateLimitPerHost: Int64?
    /// The proxy of requests, unless a download chooses another.
    public var proxies: ProxyRules
    /// The timeout of a request to `refresh_url`.
    public var urlRefreshTimeout: Duration
    /// Trusted in place of the system's certificates.
    public var certificateAuthorityFile: String?
    /// What origins are shown that ask for a certificate; the first that fits decides.
    public var clientCertificates: [ClientCertificate]
    /// The keys of SSH servers, as OpenSSH's `known_hosts` has them; without it no SFTP server is trusted.
    public var knownHostsFile: String?

    public init(
        loops: Int = 1,
        destinations: DestinationPolicy = .any,
        userAgent: String = "Cormorant",
        digest: DigestAlgorithm? = .sha256,
        maxDownloadBytes: Int64? = nil,
        minFreeBytes: Int64 = 256 << 20,
        resumeFreeBytes: Int64? = nil,
        fileMode: UInt32 = 0o600,
        folderMode: UInt32 = 0o700,
        flushBytes: Int64 = 16 << 20,
        flushInterval: Duration = .seconds(1),
        lowSpeedLimit: LowSpeedLimit? = nil,
        leastPace: Int = 1,
        slowTime: Duration = .seconds(60),
        longestIdleness: Duration = .seconds(5),
        connections: Int = 8,
        maxConnections: Int = 32,
        connectionsPerHost: Int = 64,
        hostRules: HostRules = HostRules(),
        ramp: RampRules = RampRules(),
        rateLimit: Int64? = nil,
        rateLimitPerHost: Int64? = nil,
        proxies: ProxyRules = ProxyRules(),
        urlRefreshTimeout: Duration = .seconds(15),
        certificateAuthorityFile: String? = nil,
        clientCertificates: [ClientCertificate] = [],
        knownHostsFile: String? = nil
    ) {
        self.loops = loops
        self.destinations = destinations
        self.userAgent = userAgent
        self.digest = digest
        self.maxDownloadBytes = maxDownloadBytes
        self.minFreeBytes = minFreeBytes
        self.resumeFreeBytes = resumeFreeBytes
        self.fileMode = fileMode
        self.folderMode = folderMode
        self.flushBytes = flushBytes
        self.flushInterval = flushInterval
        self.lowSpeedLimit = lowSpeedLimit
        self.leastPace = leastPace
        self.slowTime = slowTime
        self.longestIdleness = longestIdleness
        self.connections = connections
        self.maxConnections = maxConnections
        self.connectionsPerHost = connectionsPerHost
        self.hostRules = hostRules
        self.ramp = ramp
        self.rateLimit = rateLimit
        self.rateLimitPerHost = rateLimitPerHost
        self.proxies = proxies
        self.urlRefreshTimeout = urlRefreshTimeout
        self.certificateAuthorityFile = certificateAuthorityFile
        self.clientCertificates = clientCertificates
        self.knownHostsFile = knownHostsFile
    }

    /// The most connections that may fetch the file of a download at once.
    func connections(of request: DownloadRequest) -> Int { min(request.connections ?? connections, maxConnections) }

    /// The most bytes that the file of a download may have: what its client allows and what the operator does.
    func maxBytes(of request: DownloadRequest) -> Int64? {
        [request.maxBytes, maxDownloadBytes].compactMap(\.self).min()
    }
}

/// How much memory each transfer takes for its buffers: much for a few, little among a thousand.
struct BufferSizes {
    /// What libcurl reads from the socket at once.
    let receive: Int
    /// What is written to the file at once.
    let gather: Int

    init(running: Int) {
        switch running {
        case ...4: (receive, gather) = (512 << 10, 256 << 10)
        case ...16: (receive, gather) = (128 << 10, 128 << 10)
        case ...64: (receive, gather) = (64 << 10, 64 << 10)
        case ...256: (receive, gather) = (32 << 10, 32 << 10)
        default: (receive, gather) = (16 << 10, 16 << 10)
        }
    }

    private init(receive: Int, gather: Int) {
        (self.receive, self.gather) = (receive, gather)
    }

    /// What lies in a buffer has come without being counted: at a low rate little may.
    ///
    /// - Parameter rate: In bytes per second; nil for no limit.
    func bounded(by rate: Int64?) -> Self {
        guard let rate else { return self }
        let most = max(16 << 10, Int(clamping: rate / 20))
        return Self(receive: min(receive, most), gather: min(gather, most))
    }
}
