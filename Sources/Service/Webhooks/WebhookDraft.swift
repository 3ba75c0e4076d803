public import Core

/// The request to create a webhook.
public struct WebhookDraft: Sendable {
    /// The URL is not encrypted yet. The header fields are not included.
    public var settings: WebhookSettings
    public var headers: [RequestCredentials.Header]
    public var isEnabled: Bool
    /// The secret as text; nil to generate one.
    public var secret: String?

    public init(
        settings: WebhookSettings,
        headers: [RequestCredentials.Header] = [],
        isEnabled: Bool = true,
        secret: String? = nil
    ) {
        self.settings = settings
        self.headers = headers
        self.isEnabled = isEnabled
        self.secret = secret
    }
}

/// A new webhook with its secret, which is not shown again.
public struct WebhookWithSecret: Sendable {
    public let summary: WebhookSummary
    public let secret: String
}

extension IdempotentOperation<WebhookWithSecret> {
    /// The same operation for a webhook whose secret is known.
    func with(_ secret: String) -> IdempotentOperation<WebhookSummary> {
        IdempotentOperation<WebhookSummary>(request: request) { [response] in
            response(WebhookWithSecret(summary: $0, secret: secret))
        }
    }
}

/// The request to change a webhook. A value that is nil is kept.
public struct WebhookEdit: Sendable {
    /// Returns the changed settings, except URL and header fields.
    public var settings: @Sendable (WebhookSettings) -> WebhookSettings
    /// The new URL, not encrypted yet.
    public var url: DownloadURL?
    public var headers: HeaderPatch?
    public var isEnabled: Bool?
    public var expectedRevision: Int64?

    public init(
        settings: @escaping @Sendable (WebhookSettings) -> WebhookSettings = { $0 },
        url: DownloadURL? = nil,
        headers: HeaderPatch? = nil,
        isEnabled: Bool? = nil,
        expectedRevision: Int64? = nil
    ) {
        self.settings = settings
        self.url = url
        self.headers = headers
        self.isEnabled = isEnabled
        self.expectedRevision = expectedRevision
    }
}
