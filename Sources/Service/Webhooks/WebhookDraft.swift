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
