public import Core
public import HTTPFields
public import TransferRules

/// The engine settings of an operator.
public struct EngineSettings: Sendable {
    /// The number of threads that run libcurl.
    public var loops: Int
    /// The allowed destinations.
    public var destinations: DestinationPolicy
    /// Whether an origin is a public one, by its address.
    var isPublicOrigin: @Sendable (IPAddress) -> Bool = { $0.isPublic }
    /// The default `User-Agent`, for downloads without one in their request.
    public var userAgent: String
    /// The digest computed for every file; nil to compute only those that a download expects.
    public var digest: DigestAlgorithm?
    /// The largest allowed file, in bytes, whatever a download allows; nil for no limit.
    public var maxDownloadBytes: Int64?
    /// The disk space that downloads leave free, in bytes.
    public var minFreeBytes: Int64
    /// Free space, in bytes, at which waiting downloads continue; nil for ``minFreeBytes`` plus 5 %.
    public var resumeFreeBytes: Int64?
    /// The permissions of a finished file.
    public var fileMode: UInt32
    /// The permissions of a folder created for a finished file.
    public var directoryMode: UInt32
    /// The number of the group of finished files and of folders created for them; nil for the process's.
    public var fileGroup: UInt32?
    /// Whether a finished file gets the modification time that the origin states, for downloads without their own
    /// choice.
    public var preservesModificationTime = true
    /// The number of written bytes after which they are flushed and recorded.
    public var flushBytes: Int64
    /// The longest time after which written bytes are flushed and recorded.
    public var flushInterval: Duration
    /// The minimum speed of a download. A slower attempt ends and is retried later; nil to check only ``leastPace``.
    public var lowSpeedLimit: LowSpeedLimit?
    /// In bytes per second. A body that is slower than this for ``slowTime`` is stopped.
    public var leastPace: Int
    /// How long a connection may stay below ``leastPace``: the silence timeout. In whole seconds, at least one.
    public var slowTime: Duration
    /// Whether HTTP/3 is preferred for https. Without effect if libcurl was built without it.
    public var usesHTTP3 = false
    /// The time limit for connecting, with the look-up of the name, the TLS handshake, and the login of FTP and SFTP.
    public var connectTimeout = Duration.seconds(30)
    /// How long an idle connection is kept.
    public var longestIdleness: Duration
    /// The default maximum number of connections for a download, 1 to 32.
    public var connections: Int
    /// The maximum number of connections for any download.
    public var maxConnections: Int
    /// The maximum number of connections to one host and port, for all downloads together.
    public var connectionsPerHost: Int
    /// The rules for reducing the connections to a host.
    public var hostRules: HostRules
    /// The rules for opening further connections for a file.
    public var ramp: RampRules
    /// The rate limit of all downloads together, in bytes per second; nil for no limit.
    public var rateLimit: Int64?
    /// The rate limit of all downloads from one host (`host:port`), in bytes per second; nil for no limit.
    public var rateLimitPerHost: Int64?
    /// The default proxies, for downloads without one in their request.
    public var proxies: ProxyRules
    /// The timeout of a request to `refresh_url`.
    public var urlRefreshTimeout: Duration
    /// A file with the trusted certificate authorities; nil for those of the system.
    public var certificateAuthorityFile: String?
    /// Client certificates, by host; the first match applies.
    public var clientCertificates: [ClientCertificate]
    /// The `known_hosts` file (OpenSSH) with the keys of SSH servers. Without it no SFTP server is trusted.
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
        directoryMode: UInt32 = 0o700,
        fileGroup: UInt32? = nil,
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
        self.directoryMode = directoryMode
        self.fileGroup = fileGroup
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

    /// The maximum number of simultaneous connections of a download.
    func connections(of request: DownloadRequest) -> Int { min(request.connections ?? connections, maxConnections) }

    /// Whether a finished file gets the modification time that the origin states.
    func preservesModificationTime(of request: DownloadRequest) -> Bool {
        request.preservesModificationTime ?? preservesModificationTime
    }

    /// The largest file that the client and the operator allow, in bytes; nil for no limit.
    func maxBytes(of request: DownloadRequest) -> Int64? {
        [request.maxBytes, maxDownloadBytes].compactMap(\.self).min()
    }
}

/// Settings that attempts share. A class saves memory: each attempt would store its own copy of a large struct.
final class SharedSettings: Sendable {
    let value: EngineSettings

    init(_ value: EngineSettings) { self.value = value }

    /// The settings with the timeouts of a request in place of the operator's.
    func applying(_ choices: RetryChoices) -> SharedSettings {
        guard choices.connectTimeout != nil || choices.silenceTimeout != nil else { return self }
        var settings = value
        if let connect = choices.connectTimeout { settings.connectTimeout = connect.duration }
        if let silence = choices.silenceTimeout { settings.slowTime = silence.duration }
        return SharedSettings(settings)
    }
}
