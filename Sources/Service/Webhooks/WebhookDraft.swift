public import Core

/// What a caller asks for when it makes a webhook.
public struct WebhookDraft: Sendable {
    /// Its URL is open; header fields are not among them.
    public var settings: WebhookSettings
    public var headers: [RequestCredentials.Header]
    public var isEnabled: Bool
    /// As it came; nil has one made.
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

/// A webhook with its secret, which is not shown again.
public struct WebhookWithSecret: Sendable {
    public let summary: WebhookSummary
    public let secret: String
}

extension IdempotentOperation<WebhookWithSecret> {
    /// The same for the webhook alone, whose secret is known.
    func with(_ secret: String) -> IdempotentOperation<WebhookSummary> {
        IdempotentOperation<WebhookSummary>(request: request) { [response] in
            response(WebhookWithSecret(summary: $0, secret: secret))
        }
    }
}

/// What a caller wants changed of a webhook; what is nil stays as it is.
public struct WebhookEdit: Sendable {
    /// The settings after the change, but for URL and header fields.
    public var settings: @Sendable (WebhookSettings) -> WebhookSettings
    /// Open.
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
