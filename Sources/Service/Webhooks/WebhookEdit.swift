public import Core

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
