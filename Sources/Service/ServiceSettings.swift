public import Core
public import Logging
public import Store

/// What an operator may set about downloads as a whole.
public struct ServiceSettings: Sendable {
    /// How many run at once.
    public var maxConcurrent: Int
    /// How many of one host (`host:port`) run at once; nil lets it depend on the slots that are free (``Slots``).
    public var maxPerHost: Int?
    /// The most connections that a download may ask for, 1 to 32.
    public var maxConnectionsPerDownload: Int
    /// Queued downloads beyond which new ones are refused; nil for no limit.
    public var queueLimit: Int?
    /// The time limit of a run without `deadline_at`.
    public var timeLimit: Duration
    /// The time without progress after which a run fails.
    public var giveUpAfter: Duration
    /// Which schemes, addresses and ports downloads may be fetched from.
    public var destinations: DestinationPolicy
    /// Where a client may have events delivered to.
    public var webhooks: WebhookDestinations
    /// Whether downloads and sessions may have a `callback_url`.
    public var allowsCallbacks: Bool
    /// Whether a download may choose its proxy.
    public var allowsClientProxies: Bool
    /// Whether the operator has named known hosts: no SFTP server is trusted without.
    public var allowsSFTP: Bool
    /// How long records are kept.
    public var purgeAges: PurgeAges

    public init(
        maxConcurrent: Int = 64,
        maxPerHost: Int? = nil,
        maxConnectionsPerDownload: Int = 32,
        queueLimit: Int? = nil,
        timeLimit: Duration = .seconds(7 * 86_400),
        giveUpAfter: Duration = .seconds(86_400),
        destinations: DestinationPolicy = .any,
        webhooks: WebhookDestinations = WebhookDestinations(),
        allowsCallbacks: Bool = false,
        allowsClientProxies: Bool = true,
        allowsSFTP: Bool = false,
        purgeAges: PurgeAges = PurgeAges()
    ) {
        self.maxConcurrent = maxConcurrent
        self.maxPerHost = maxPerHost
        self.maxConnectionsPerDownload = maxConnectionsPerDownload
        self.queueLimit = queueLimit
        self.timeLimit = timeLimit
        self.giveUpAfter = giveUpAfter
        self.destinations = destinations
        self.webhooks = webhooks
        self.allowsCallbacks = allowsCallbacks
        self.allowsClientProxies = allowsClientProxies
        self.allowsSFTP = allowsSFTP
        self.purgeAges = purgeAges
    }
}

extension Logger {
    /// Reports that the record of a download cannot be read. It stays as it is; all others continue.
    public func report(_ row: UnreadableDownload) {
        error(
            "record of a download unreadable, skipped",
            metadata: ["download.id": "\(row.id)", "error": "\(row.reason)"]
        )
    }

    /// Logs that an event cannot be read. Readers of the event log skip this event only.
    public func report(_ event: UnreadableEvent) {
        error(
            "event of the log unreadable, skipped",
            metadata: ["event.seq": "\(event.sequence)", "error": "\(event.reason)"]
        )
    }
}
