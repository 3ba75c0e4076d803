public import Core
public import Logging
public import Store
import TransferRules

/// The operator's settings for all downloads.
public struct ServiceSettings: Sendable {
    /// The maximum number of running downloads.
    public var maxConcurrent = 64
    /// The maximum number of running downloads per host (`host:port`); nil derives it from the free slots (``Slots``).
    public var maxPerHost: Int?
    /// The maximum number of connections per download, 1 to 32.
    public var maxConnectionsPerDownload = 32
    /// The maximum number of queued downloads, above which new ones are refused; nil for no limit.
    public var queueLimit: Int?
    /// The time limit of a run without `deadline_at`.
    public var timeLimit = Duration.seconds(7 * 86_400)
    /// The time without progress after which a run fails.
    public var giveUpAfter = Duration.seconds(86_400)
    /// Doubled with each attempt without progress, it is the longest delay before the next retry.
    public var retryDelay = Duration.seconds(1)
    /// The longest delay before any retry.
    public var maxRetryDelay = Duration.seconds(300)
    /// The HTTP statuses that are retried until ``giveUpAfter``.
    public var retryStatuses = HTTPStatuses.transient
    /// The number of retries if the origin does not have the file.
    public var notFoundRetries = 1
    /// The schemes, addresses and ports that downloads may use.
    public var destinations = DestinationPolicy.any
    /// The destinations that clients may choose for events.
    public var webhooks = WebhookDestinations()
    /// Whether downloads and sessions may have a `callback_url`.
    public var allowsCallbacks = false
    /// Whether a download may choose its proxy.
    public var allowsClientProxies = true
    /// Whether the operator has provided known hosts. Without them no SFTP server is trusted.
    public var allowsSFTP = false
    /// The retention periods of records.
    public var purgeAges = PurgeAges()

    public init() {}
}

extension ServiceSettings {
    /// The retry policy of downloads without choices of their own.
    var retryPolicy: RetryPolicy {
        var policy = RetryPolicy()
        policy.giveUpAfter = giveUpAfter
        policy.base = retryDelay
        policy.cap = max(maxRetryDelay, retryDelay)
        policy.retryStatuses = retryStatuses
        policy.notFoundRetries = notFoundRetries
        return policy
    }
}

extension Logger {
    /// Logs that the record of a download cannot be read. Only this download is skipped.
    public func report(_ row: UnreadableDownload) {
        error(
            "record of a download unreadable, skipped",
            metadata: ["download.id": "\(row.id)", "error": "\(row.reason)"]
        )
    }

    /// Logs that an event cannot be read. Only this event is skipped.
    public func report(_ event: UnreadableEvent) {
        error(
            "event of the log unreadable, skipped",
            metadata: ["event.seq": .stringConvertible(event.sequence), "error": "\(event.reason)"]
        )
    }
}
