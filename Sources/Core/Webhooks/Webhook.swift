/// An endpoint that receives events.
public struct Webhook: Hashable, Sendable, Identifiable {
    public var id: WebhookID
    public var createdBy: Creator
    public var settings: WebhookSettings
    /// The signing secrets; nil if the service's own secret signs.
    public var keys: WebhookKeys?
    /// When and why it was disabled; nil while it is enabled.
    public var disabled: Disabling?
    /// Counts all changes of the webhook.
    public var revision: Int64 = 1
    public var createdAt: Timestamp
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
        createdAt: Timestamp,
        updatedAt: Timestamp
    ) {
        self.id = id
        self.createdBy = createdBy
        self.settings = settings
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

/// A webhook and the totals of its attempts.
public struct WebhookSummary: Hashable, Sendable {
    public var webhook: Webhook
    public var record: WebhookRecord

    public init(webhook: Webhook, record: WebhookRecord) {
        self.webhook = webhook
        self.record = record
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
