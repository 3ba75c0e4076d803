public import FoundationEssentials

/// An endpoint that receives events.
public struct Webhook: Hashable, Sendable, Decodable {
    public struct Stats: Hashable, Sendable, Decodable {
        public var succeeded: Int?
        public var failed: Int?
        public var lastSuccessAt: Date?
        public var lastFailureAt: Date?
        public var consecutiveFailures: Int?
        public var failingSinceAt: Date?
    }

    public struct Counters: Hashable, Sendable, Decodable { public var revision: Int64? }

    /// `whk_…`
    public var id: String
    /// The URL, with its path redacted.
    public var url: String
    /// `settings` or `api`.
    public var createdBy: String?
    public var description: String?
    /// The event types that it receives.
    public var types: [String]?
    public var sessionFilter: String?
    public var labelsFilter: [String: String]?
    /// `snapshot` or `thin`.
    public var payload: String?
    /// `standard` or `cloudevents`.
    public var format: String?
    /// `none` or `session`.
    public var ordering: String?
    /// `none` or `cloudevents`.
    public var verify: String?
    /// By name; the values are redacted.
    public var requestHeaders: [String: String]?
    public var rateLimitPerSecond: Int?
    public var enabled: Bool?
    public var disabledReason: String?
    public var disabledAt: Date?
    public var secretFingerprint: String?
    public var previousSecretExpiresAt: Date?
    public var stats: Stats?
    public var counters: Counters?
    public var createdAt: Date?
    public var updatedAt: Date?
    public var links: JSONValue?
    /// Its secret: only in the answer that creates it.
    public var secret: String?
}

/// What a `PATCH` changes of a webhook. Properties that are nil stay as they are.
public struct WebhookPatch: Hashable, Sendable, Encodable {
    public var url: String?
    public var description: Change<String>?
    public var types: Change<[String]>?
    public var sessionFilter: Change<String>?
    public var labelsFilter: Change<[String: String]>?
    public var payload: String?
    public var format: String?
    public var ordering: String?
    public var verify: String?
    public var requestHeaders: Change<[String: Change<String>]>?
    public var rateLimitPerSecond: Change<Int>?
    public var enabled: Bool?
    public var expectedRevision: Int64?

    public init() {}
}

/// How a secret is rotated.
public struct SecretRotation: Hashable, Sendable, Encodable {
    /// How long the previous secret signs too.
    public var graceSeconds: Int64?
    /// `whsec_…`; nil to let the service make one.
    public var secret: String?
    /// Whether a secret that still signs too is dropped.
    public var force: Bool?

    public init() {}
}

/// Which deliveries are sent again.
public struct Recovery: Hashable, Sendable, Encodable {
    public var createdAfter: Date
    public var createdBefore: Date?
    /// `failed`, `disabled`, `aborted` or `pending`.
    public var state: [String]?

    public init(createdAfter: Date) { self.createdAfter = createdAfter }
}

/// The result of a rotation.
public struct RotatedSecret: Hashable, Sendable, Decodable {
    public var secret: String
    public var secretFingerprint: String?
    /// Until then the service signs with the previous secret too.
    public var previousSecretExpiresAt: Date?
}
