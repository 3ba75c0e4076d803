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
        var reader = try ObjectReader(body: bytes)
        reader.require("url")
        url = reader.read("url", .url(.receiver)) ?? .blank
        description = reader.read("description", .webhookDescription)
        eventTypes = reader.eventTypes()
        session = reader.read("session_filter", .sessionFilter)
        labels = reader.labelsFilter()
        form = EventForm(
            payload: reader.word("payload") ?? .snapshot,
            format: reader.word("format") ?? .standard
        )
        headers = reader.webhookHeaders(allowsNull: false).compactMap { field in
            field.value.map { RequestCredentials.Header(name: field.name, value: $0) }
        }
        ordering = reader.word("ordering") ?? .none
        rateLimitPerSecond = reader.read("rate_limit_per_second", .deliveryRate)
        verification = reader.word("verify") ?? .none
        isEnabled = reader.bool("enabled") ?? true
        secret = reader.string("secret")
        try reader.close()
    }
}
