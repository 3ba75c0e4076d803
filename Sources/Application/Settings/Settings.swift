import Core
import HTTPFields
import Linux
import Logging

/// The settings of the service. Each property's initial value is its default.
///
/// ``SettingsLoader`` reads them once. No other code reads flags, environment or settings files. The names for users
/// are in ``Setting/all``.
public struct Settings: Sendable {
    /// The address of the API. Port 0 chooses a free port.
    public var listen = [ListenAddress.standard]
    /// The folder of database, part files and downloads. Created if missing.
    var dataDirectory = "./data"
    /// The token of clients. If nil, none is required on loopback, and one is generated elsewhere.
    var token: Secret?
    /// The web origins whose pages may use the API (CORS); `*` for any.
    var corsOrigins: [String] = []
    /// Whether the page for browsers is served at `/`.
    var page = true
    /// Host names and addresses of the API, in addition to `localhost` and loopback addresses.
    var publicHosts: [String] = []

    /// The maximum number of running downloads.
    var maxConcurrent = 64
    /// The maximum number of running downloads per host and port; nil derives it from the free slots.
    var maxPerHost: Int?
    /// The number of connections of a download without `limits.connections`.
    var connectionsPerDownload = 8
    /// The maximum of `limits.connections`. It also limits ``connectionsPerDownload``.
    var maxConnectionsPerDownload = 32
    /// The maximum number of connections per host and port, of all downloads together.
    var connectionsPerHost = 64
    /// In bytes per second. A download that stays slower for ``minSpeedTime`` ends its attempt. If nil, only
    /// ``silenceTimeout`` ends an attempt.
    var minSpeed: Int64?
    var minSpeedTime = Duration.seconds(60)
    /// Whether HTTP/3 is preferred for https, if libcurl has it.
    var http3 = false
    /// The time limit for connecting to an origin, with the look-up of its name and the TLS handshake.
    var connectTimeout = Duration.seconds(30)
    /// How long a connection to an origin may stay silent.
    var silenceTimeout = Duration.seconds(60)
    /// The time without progress after which a download fails.
    var giveUpAfter = Duration.seconds(86_400)
    /// Doubled with each attempt without progress, it is the longest delay before the next retry.
    var retryDelay = Duration.seconds(1)
    /// The longest delay before any retry.
    var maxRetryDelay = Duration.seconds(300)
    /// The HTTP statuses that are retried until ``giveUpAfter``.
    var retryStatuses = HTTPStatuses.transient.sorted
    /// The number of retries if the origin does not have the file.
    var notFoundRetries = 1
    /// The rate limit of all downloads together in bytes per second; nil for no limit.
    var rateLimit: Int64?
    /// The weekly schedule of other rate limits; nil for none.
    var rateSchedule: RateSchedule?
    /// The rate limit of one host and port in bytes per second; nil for no limit.
    var rateLimitPerHost: Int64?
    /// The maximum number of queued downloads; nil for no limit.
    var queueLimit: Int?
    /// The number of threads that run transfers; nil for one per core.
    var loops: Int?
    /// The allowed destinations; nil derives them from the listen addresses (``destinationPolicy``).
    var destinations: DestinationChoice?
    /// Address blocks that are allowed in addition to public addresses.
    var allowedDestinations: [CIDR] = []
    /// The proxy of downloads; nil for none. Proxy variables of the environment are ignored.
    var proxy: Secret?
    /// Hosts that are reached without the proxy.
    var noProxy: [ProxyRules.Exception] = []
    /// Whether a download may choose its proxy; nil derives it from ``destinationPolicy``.
    var clientProxies: ProxyPermission?
    /// The maximum size of a file in bytes; nil for no limit.
    var maxDownloadBytes: Int64?
    /// The disk space that downloads leave free, in bytes.
    var minFreeBytes: Int64 = 256 << 20
    /// The free disk space at which waiting downloads continue, in bytes; nil for ``minFreeBytes`` plus 5 %.
    var resumeFreeBytes: Int64?
    /// The folder of finished files; nil for `<data>/downloads`.
    var downloadsDirectory: String?
    /// Further folders for finished files, which a download chooses by name.
    var roots: [RootSetting] = []
    /// The permissions of finished files.
    var fileMode: UInt32 = 0o600
    /// The permissions of the folders that the service creates for finished files.
    var directoryMode: UInt32 = 0o700
    /// The group of finished files and of the folders that the service creates for them; nil for the process's.
    var fileGroup: SystemGroup?
    /// Whether finished files get the modification time that the origin states.
    var preservesModificationTime = true
    /// How long the record of an ended download is kept. Its file is kept.
    /// nil means forever.
    var keepFinished: Duration? = .seconds(30 * 86_400)
    /// nil means forever.
    var keepFiles: Duration?
    /// The digest to compute for every file; nil computes only expected digests.
    var digest: DigestAlgorithm? = .sha256

    /// The URL of the webhook of the settings; nil for none.
    var webhookURL: DownloadURL?
    /// The signing secret of this webhook; nil generates one.
    var webhookSecret: Secret?
    /// The delay after each failed attempt of a delivery. After the last one the delivery fails.
    var webhookRetryDelays = DeliverySchedule.standard.delays
    /// The origin that the service names when it requests an endpoint's consent; nil for none.
    var webhookOrigin: String?
    /// Whether clients may create webhooks with http URLs.
    var allowsInsecureWebhooks = false
    /// Whether downloads and sessions may have a `callback_url`.
    var allowsInlineCallbacks = false

    /// The time limit for a request's head.
    var headerDeadline = Duration.seconds(10)
    /// The time limit for a request's body, from the end of its head.
    var bodyDeadline = Duration.seconds(60)
    /// The maximum length of a request body, in bytes.
    var maxBodyBytes = 1 << 20
    /// The maximum memory for all request bodies together, in bytes.
    var maxBufferedBodyBytes = 64 << 20
    var maxConnections = 4096
    /// The maximum number of connections from one address; nil for 256, and for no limit to addresses of this machine.
    var maxConnectionsPerAddress: Int?
    /// The maximum number of open event streams.
    var maxStreams = 1000
    /// The maximum number of event streams per token.
    var maxStreamsPerToken = 16
    /// The time without an event after which a stream sends a comment, so that no proxy closes it.
    var streamHeartbeat = Duration.seconds(15)
    /// The time limit for the shutdown: in-flight requests, deliveries and workers together.
    var shutdownTimeout = Duration.seconds(25)

    /// The file with the key that encrypts stored credentials; nil for `<data>/key`, which is created if missing.
    var keyFile: String?
    /// A file of certificates to trust instead of the system's.
    var certificateAuthorityFile: String?
    /// Client certificates by host; the first match applies.
    var clientCertificates: [ClientCertificate] = []
    /// A file of SSH host keys, in the format of OpenSSH's `known_hosts`; nil refuses sftp.
    var knownHostsFile: String?
    var logLevel = Logger.Level.info
    /// The log format; nil for text on a terminal and JSON elsewhere.
    var logFormat: LogFormat?
}

/// The allowed destinations.
public enum DestinationChoice: String, CaseIterable, Sendable {
    case any
    /// Only public addresses.
    case `public`
}

/// Whether clients may choose a download's proxy.
public enum ProxyPermission: String, CaseIterable, Sendable {
    case allow
    case refuse
}

/// The format of log lines.
public enum LogFormat: String, CaseIterable, Sendable {
    case text
    case json
}

extension Settings {
    /// Whether only this machine can reach the API.
    var listensOnLoopbackOnly: Bool { listen.allSatisfy(\.isLoopback) }

    /// The destination policy. The default depends on the listen addresses: a client on this machine can reach any
    /// address anyway, but a remote client must not use the service to reach addresses inside its network.
    var destinationPolicy: DestinationPolicy {
        switch destinations ?? (listensOnLoopbackOnly ? .any : .public) {
        case .any: .clientChosen(allowances: allowedDestinations)
        case .public: .publicOnly(allowances: allowedDestinations)
        }
    }

    /// A proxy hides the destination. So if destinations are restricted, clients cannot choose a proxy.
    var proxyRules: ProxyRules {
        ProxyRules(
            server: proxy.flatMap { ProxyServer($0.text) },
            exceptions: noProxy,
            allowsClients: clientProxies.map { $0 == .allow } ?? !destinationPolicy.isPublicOnly
        )
    }
}
