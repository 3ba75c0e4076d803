/// An endpoint that receives events.
public struct Webhook: Hashable, Sendable, Identifiable {
    public let id: WebhookID
    public let createdBy: Creator
    public var settings: WebhookSettings
    /// The signing secrets; nil if the service's own secret signs.
    public var keys: WebhookKeys?
    /// When and why it was disabled; nil while it is enabled.
    public var disabled: Disabling?
    /// Counts all changes of the webhook.
    public var revision: Int64
    public let createdAt: Timestamp
    public var updatedAt: Timestamp

    /// Who created the webhook.
    public enum Creator: String, CaseIterable, Hashable, Sendable {
        /// The operator, in the settings. There is at most one.
        case settings
        /// A client, with `POST /webhooks`.
        case api
        /// A download or session, with its `callback_url`. There is one per URL.
        case callback
    }

    public struct Disabling: Hashable, Sendable {
        /// The raw value of a ``DisablingReason``; possibly one of a later version.
        public let reason: String
        public let at: Timestamp

        public init(reason: String, at: Timestamp) {
            self.reason = reason
            self.at = at
        }
    }

    public init(
        id: WebhookID,
        createdBy: Creator,
        settings: WebhookSettings,
        keys: WebhookKeys? = nil,
        disabled: Disabling? = nil,
        revision: Int64 = 1,
        createdAt: Timestamp,
        updatedAt: Timestamp
    ) {
        self.id = id
        self.createdBy = createdBy
        self.settings = settings
        self.keys = keys
        self.disabled = disabled
        self.revision = revision
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }

    public var isEnabled: Bool { disabled == nil }
}

/// Why a webhook is disabled.
public enum DisablingReason: String, CaseIterable, Hashable, Sendable {
    /// The receiver responded with 410.
    case gone
    /// The receiver responded with `webhook-delivery: disable`.
    case requestedByReceiver = "asked_by_receiver"
    /// The receiver accepted nothing for days (``WebhookHealth``).
    case failing
    /// A client disabled it.
    case requested
    /// The settings no longer contain the webhook.
    case removed
    case deleted
}

/// The encrypted signing secrets of a webhook.
public struct WebhookKeys: Hashable, Sendable {
    public var sealed: [UInt8]
    /// A fingerprint of the secret: the first characters of its digest.
    public var fingerprint: String
    /// The previous secret, which is valid until it expires.
    public var previous: Previous?

    public struct Previous: Hashable, Sendable {
        public let sealed: [UInt8]
        public let expiresAt: Timestamp

        public init(sealed: [UInt8], expiresAt: Timestamp) {
            self.sealed = sealed
            self.expiresAt = expiresAt
        }

        /// Whether it has not expired.
        public func isValid(at now: Timestamp) -> Bool { expiresAt.isAhead(of: now, within: longestGrace) }
    }

    public init(sealed: [UInt8], fingerprint: String, previous: Previous? = nil) {
        self.sealed = sealed
        self.fingerprint = fingerprint
        self.previous = previous
    }

    /// The encrypted secrets that are valid at `now`, the current one first.
    public func signing(at now: Timestamp) -> [[UInt8]] {
        guard let previous, previous.isValid(at: now) else { return [sealed] }
        return [sealed, previous.sealed]
    }

    /// The longest time for which the previous secret stays valid.
    public static let longestGrace = Duration.seconds(7 * 86_400)
}

/// A webhook and the totals of its attempts.
public struct WebhookSummary: Hashable, Sendable {
    public var webhook: Webhook
    public var record: WebhookRecord

    public init(webhook: Webhook, record: WebhookRecord) {
        self.webhook = webhook
        self.record = record
    }
}

/// The totals of a webhook's attempts.
public struct WebhookRecord: Hashable, Sendable {
    public var succeeded: Int64
    public var failed: Int64
    public var lastSuccessAt: Timestamp?
    public var lastFailureAt: Timestamp?
    public var health: WebhookHealth

    public init(
        succeeded: Int64 = 0,
        failed: Int64 = 0,
        lastSuccessAt: Timestamp? = nil,
        lastFailureAt: Timestamp? = nil,
        health: WebhookHealth = WebhookHealth()
    ) {
        self.succeeded = succeeded
        self.failed = failed
        self.lastSuccessAt = lastSuccessAt
        self.lastFailureAt = lastFailureAt
        self.health = health
    }
}

/// The webhook that an event is about.
public struct WebhookNotice: Hashable, Sendable {
    public let id: WebhookID
    public let url: DownloadURL
    /// When and why it was disabled; nil for a test.
    public let disabled: Webhook.Disabling?

    public init(id: WebhookID, url: DownloadURL, disabled: Webhook.Disabling?) {
        self.id = id
        self.url = url
        self.disabled = disabled
    }
}
