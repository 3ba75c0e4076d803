import Core
import HTTPFields
import Linux
import Logging

/// What an operator may set about the service. Each property's initial value is its default.
///
/// It is read once (``SettingsLoader``) and handed on; nothing else looks at flags, environment or files.
/// The names that users write are in ``Setting/all``.
public struct Settings: Sendable {
    /// Where the API listens. Port 0 takes a free one.
    public var listen = ListenAddress.standard
    /// Database, part files and downloads; made if it is missing.
    var dataDirectory = "./data"
    /// What a client shows to be let in; nil asks for none on loopback, and has one made elsewhere.
    var token: Secret?
    /// Web origins whose pages may use the API (CORS); `*` for any.
    var corsOrigins: [String] = []
    /// Names and addresses under which the API may be spoken to, besides `localhost` and those of loopback.
    var publicHosts: [String] = []

    /// Downloads that run at once.
    var maxConcurrent = 64
    /// Downloads of one host and port that run at once; nil for a quarter of ``maxConcurrent``.
    var maxPerHost: Int?
    /// Connections that fetch one file where its download names no number.
    var connectionsPerDownload = 8
    /// Connections that a download may ask for; also what ``connectionsPerDownload`` is cut to.
    var maxConnectionsPerDownload = 32
    /// Connections to one host and port, of all downloads together.
    var connectionsPerHost = 64
    /// A download that stays below this pace for ``minSpeedTime`` gives its slot up, in bytes per second; nil for none,
    /// beside the silence of a minute that each connection is allowed.
    var minSpeed: Int64?
    var minSpeedTime = Duration.seconds(60)
    /// What all downloads together may take, in bytes per second; nil for no limit.
    var rateLimit: Int64?
    /// When of the week another limit holds; nil for never.
    var rateSchedule: RateSchedule?
    /// What the downloads of one host and port together may take, in bytes per second; nil for no limit.
    var rateLimitPerHost: Int64?
    /// Queued downloads beyond which new ones are refused; nil for no limit.
    var queueLimit: Int?
    /// Threads that drive transfers; nil for one to each core.
    var loops: Int?
    /// Whom the service may speak to; nil decides by exposure (``destinationPolicy``).
    var destinations: DestinationChoice?
    /// Blocks of addresses that are allowed besides the public ones.
    var allowedDestinations: [CIDR] = []
    /// The proxy that downloads are fetched through; nil for none. The environment's are not read.
    var proxy: Secret?
    /// Hosts that are asked without it.
    var noProxy: [ProxyRules.Exception] = []
    /// Whether a download may name a proxy, or go without the one above; nil decides by ``destinationPolicy``.
    var clientProxies: ProxyPermission?
    /// The most bytes that a download may have; nil for no limit.
    var maxDownloadBytes: Int64?
    /// Room on the disk that downloads leave free, in bytes.
    var minFreeBytes: Int64 = 256 << 20
    /// Room that is to be free before downloads that wait for it go on; nil for ``minFreeBytes`` and 5 % of it.
    var resumeFreeBytes: Int64?
    /// The permissions of finished files.
    var fileMode: UInt32 = 0o600
    /// The permissions of the folders that they are in, where the service makes them.
    var folderMode: UInt32 = 0o700
    /// How long the record of a download that has ended is kept. Its file stays.
    var keepFinished = Duration.seconds(30 * 86_400)
    /// The digest that every file gets; nil for those alone that a download expects.
    var digest: DigestAlgorithm? = .sha256

    /// An endpoint for events, there from the start.
    var webhookURL: SourceURL?
    /// What deliveries to it are signed with; nil has one made.
    var webhookSecret: Secret?
    /// How long after each failure a delivery is tried again; with the last it is given up.
    var webhookRetryDelays = DeliverySchedule.standard.delays
    /// The name in which endpoints are asked whether they agree to receive events.
    var webhookOrigin: String?
    /// Whether webhooks that clients make may be on http.
    var allowsInsecureWebhooks = false
    /// Whether a download, and a session, may say who is told of it.
    var allowsInlineCallbacks = false

    /// The time for a request's head.
    var headerDeadline = Duration.seconds(10)
    /// The time for a request's body, from the end of its head.
    var bodyDeadline = Duration.seconds(60)
    /// A longer request body is refused.
    var maxBodyBytes = 1 << 20
    /// What the bodies of all requests together may hold.
    var maxBufferedBodyBytes = 64 << 20
    var maxConnections = 4096
    /// Connections from one address; nil for 256, and for no limit to those of this machine.
    var maxConnectionsPerAddress: Int?
    /// Streams of events that are open at once.
    var maxStreams = 1000
    /// Those of one token.
    var maxStreamsPerToken = 16
    /// After so long without an event a stream sends a comment, so that no proxy takes it for dead.
    var streamHeartbeat = Duration.seconds(15)
    /// How long the service may take to stop: requests in hand, deliveries and workers together.
    var shutdownTimeout = Duration.seconds(25)

    /// The file with the key that credentials are encrypted with; nil for `<data>/key`, made if missing.
    var keyFile: String?
    /// A file of certificates to trust in place of the system's.
    var certificateAuthorityFile: String?
    /// What origins are shown that ask for a certificate; the first that fits decides.
    var clientCertificates: [ClientCertificate] = []
    /// A file of SSH servers' keys, as OpenSSH's `known_hosts`; nil refuses sftp.
    var knownHostsFile: String?
    var logLevel = Logger.Level.info
    /// nil for text on a terminal and JSON elsewhere.
    var logFormat: LogFormat?
}

/// Whom the service may speak to.
public enum DestinationChoice: String, CaseIterable, Sendable {
    case any
    /// The public internet alone.
    case `public`
}

/// Who says which proxy a download is fetched through.
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
    /// One host alone, however slow, is not to have every slot.
    var downloadsPerHost: Int { maxPerHost ?? max(maxConcurrent / 4, 1) }

    /// Whom downloads may go to. Where nobody said so it follows exposure: a caller on this machine could reach any
    /// address anyway, a caller from elsewhere must not be lent the service's place in the network.
    var destinationPolicy: DestinationPolicy {
        switch destinations ?? (listen.isLoopback ? .any : .public) {
        case .any: .any
        case .public: .publicOnly(allowances: allowedDestinations)
        }
    }

    /// Behind a proxy nobody sees where a request goes, so where destinations are limited no client chooses one.
    var proxyRules: ProxyRules {
        ProxyRules(
            server: proxy.flatMap { ProxyServer($0.text) },
            exceptions: noProxy,
            allowsClients: clientProxies.map { $0 == .allow } ?? (destinationPolicy == .any)
        )
    }
}
