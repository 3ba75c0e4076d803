import Core
import HTTPFields
import Linux
import Logging

/// The settings of the service. Each property's initial value is its default.
///
/// They are read once (``SettingsLoader``); nothing else reads flags, environment or files. The names that users write
/// are in ``Setting/all``.
public struct Settings: Sendable {
    /// The address of the API. Port 0 takes a free port.
    public var listen = ListenAddress.standard
    /// Database, part files and downloads; made if it is missing.
    var dataDirectory = "./data"
    /// The token of clients; nil requires none on loopback, and has one made elsewhere.
    var token: Secret?
    /// Web origins whose pages may use the API (CORS); `*` for any.
    var corsOrigins: [String] = []
    /// Host names and addresses of the API, besides `localhost` and those of loopback.
    var publicHosts: [String] = []

    /// Downloads that run at once.
    var maxConcurrent = 64
    /// Downloads of one host and port that run at once; nil for a quarter of ``maxConcurrent``.
    var maxPerHost: Int?
    /// Connections of a download without `limits.connections`.
    var connectionsPerDownload = 8
    /// The highest `limits.connections`; it also limits ``connectionsPerDownload``.
    var maxConnectionsPerDownload = 32
    /// Connections to one host and port, of all downloads together.
    var connectionsPerHost = 64
    /// In bytes per second. A download that is slower for ``minSpeedTime`` ends its attempt; nil for no limit beside
    /// the minute without data that each connection is allowed.
    var minSpeed: Int64?
    var minSpeedTime = Duration.seconds(60)
    /// Bytes per second of all downloads; nil for no limit.
    var rateLimit: Int64?
    /// The weekly schedule of another limit; nil for none.
    var rateSchedule: RateSchedule?
    /// Bytes per second of the downloads of one host and port; nil for no limit.
    var rateLimitPerHost: Int64?
    /// The maximum of queued downloads; nil for no limit.
    var queueLimit: Int?
    /// Threads that run transfers; nil for one per core.
    var loops: Int?
    /// The allowed destinations; nil decides by exposure (``destinationPolicy``).
    var destinations: DestinationChoice?
    /// Blocks of addresses that are allowed besides the public ones.
    var allowedDestinations: [CIDR] = []
    /// The proxy of downloads; nil for none. The environment's are not read.
    var proxy: Secret?
    /// Hosts that are reached without it.
    var noProxy: [ProxyRules.Exception] = []
    /// Whether a download may choose its proxy; nil decides by ``destinationPolicy``.
    var clientProxies: ProxyPermission?
    /// The largest file of a download in bytes; nil for no limit.
    var maxDownloadBytes: Int64?
    /// Disk space that downloads leave free, in bytes.
    var minFreeBytes: Int64 = 256 << 20
    /// Free disk space at which waiting downloads go on, in bytes; nil for ``minFreeBytes`` plus 5 %.
    var resumeFreeBytes: Int64?
    /// The permissions of finished files.
    var fileMode: UInt32 = 0o600
    /// The permissions of folders that the service makes for them.
    var folderMode: UInt32 = 0o700
    /// How long the record of an ended download is kept. Its file stays.
    var keepFinished = Duration.seconds(30 * 86_400)
    /// The digest that is computed for every file; nil for expected digests only.
    var digest: DigestAlgorithm? = .sha256

    /// The URL of a webhook that exists from the start.
    var webhookURL: DownloadURL?
    /// Its signing secret; nil has one made.
    var webhookSecret: Secret?
    /// The delay after each failed attempt of a delivery; after the last one it fails.
    var webhookRetryDelays = DeliverySchedule.standard.delays
    /// The service's name in requests for an endpoint's consent.
    var webhookOrigin: String?
    /// Whether webhooks of clients may have http URLs.
    var allowsInsecureWebhooks = false
    /// Whether downloads and sessions may have a `callback_url`.
    var allowsInlineCallbacks = false

    /// Time limit for a request's head.
    var headerDeadline = Duration.seconds(10)
    /// Time limit for a request's body, from the end of its head.
    var bodyDeadline = Duration.seconds(60)
    /// The largest request body, in bytes.
    var maxBodyBytes = 1 << 20
    /// Memory for the bodies of all requests together, in bytes.
    var maxBufferedBodyBytes = 64 << 20
    var maxConnections = 4096
    /// Connections from one address; nil for 256, and for no limit to those of this machine.
    var maxConnectionsPerAddress: Int?
    /// Open event streams.
    var maxStreams = 1000
    /// Event streams with one token.
    var maxStreamsPerToken = 16
    /// The time without an event after which a stream sends a comment, so that no proxy closes it.
    var streamHeartbeat = Duration.seconds(15)
    /// Time limit for the shutdown: in-flight requests, deliveries and workers together.
    var shutdownTimeout = Duration.seconds(25)

    /// The file with the key of stored credentials; nil for `<data>/key`, made if it is missing.
    var keyFile: String?
    /// A file of certificates to trust in place of the system's.
    var certificateAuthorityFile: String?
    /// Client certificates by host; the first match applies.
    var clientCertificates: [ClientCertificate] = []
    /// A file of SSH servers' keys, as OpenSSH's `known_hosts`; nil refuses sftp.
    var knownHostsFile: String?
    var logLevel = Logger.Level.info
    /// nil for text on a terminal and JSON elsewhere.
    var logFormat: LogFormat?
}

/// The allowed destinations.
public enum DestinationChoice: String, CaseIterable, Sendable {
    case any
    /// Public addresses only.
    case `public`
}

/// Whether clients may choose a download's proxy.
public enum ProxyPermission: String, CaseIterable, Sendable {
    case allow
    case refuse
}

/// How log lines are written.
public enum LogFormat: String, CaseIterable, Sendable {
    case text
    case json
}

extension Settings {
    /// The destination policy. By default it follows exposure: a caller on this machine could reach any address anyway;
    /// a caller from elsewhere must not use the service's place in the network.
    var destinationPolicy: DestinationPolicy {
        switch destinations ?? (listen.isLoopback ? .any : .public) {
        case .any: .any
        case .public: .publicOnly(allowances: allowedDestinations)
        }
    }

    /// Behind a proxy the destination is unknown, so where destinations are limited no client chooses one.
    var proxyRules: ProxyRules {
        ProxyRules(
            server: proxy.flatMap { ProxyServer($0.text) },
            exceptions: noProxy,
            allowsClients: clientProxies.map { $0 == .allow } ?? (destinationPolicy == .any)
        )
    }
}
