public import Core
import Service

/// The body of `POST /webhooks`. Its secret is not decoded yet.
public struct CreateWebhookBody: Hashable, Sendable {
    public var url: DownloadURL
    public var description: String?
    public var eventTypes: [EventPattern]?
    public var session: SessionFilter?
    public var labels: JSONText?
    public var form: EventForm
    public var headers: [RequestCredentials.Header]
    public var ordering: WebhookSettings.Ordering
    public var rateLimitPerSecond: Int?
    public var verification: WebhookSettings.Verification
    public var isEnabled: Bool
    public var secret: String?

    /// Reads a body. A member that is null counts as absent.
    public init(parsing bytes: [UInt8]) throws(BodyError) {
        var list = ViolationList()
        var reader = try ObjectReader(body: bytes)
        reader.require("url", &list)
        url = reader.url("url", of: .receiver, &list) ?? .blank
        description = reader.webhookDescription(&list)
        eventTypes = reader.eventTypes(&list)
        session = reader.sessionFilter(&list)
        labels = reader.labelsFilter(&list)
        form = EventForm(
            payload: reader.word("payload", &list) ?? .snapshot,
            format: reader.word("format", &list) ?? .standard
        )
        headers = reader.webhookHeaders(allowsNull: false, &list).compactMap { field in
            field.value.map { RequestCredentials.Header(name: field.name, value: $0) }
        }
        ordering = reader.word("ordering", &list) ?? .none
        rateLimitPerSecond = reader.deliveryRate(&list)
        verification = reader.word("verify", &list) ?? .none
        isEnabled = reader.bool("enabled", &list) ?? true
        secret = reader.secret(&list)
        try reader.close(&list)
    }
}
