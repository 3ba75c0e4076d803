public import Core
import Service

/// The body of `PATCH /webhooks/{id}`: an absent member keeps its value, null clears it, and `request_headers` are
/// merged by name. Each filter is replaced as a whole.
public struct PatchWebhookBody: Hashable, Sendable {
    public var url: DownloadURL?
    public var description: DownloadEdit.Change<String>?
    public var eventTypes: DownloadEdit.Change<[EventPattern]>?
    public var session: DownloadEdit.Change<SessionFilter>?
    public var labels: DownloadEdit.Change<JSONText>?
    public var payload: EventForm.Payload?
    public var format: EventForm.Format?
    public var headers: HeaderPatch?
    public var ordering: WebhookSettings.Ordering?
    public var rateLimitPerSecond: DownloadEdit.Change<Int>?
    public var verification: WebhookSettings.Verification?
    public var isEnabled: Bool?
    public var expectedRevision: Int64?

    public init(parsing bytes: [UInt8]) throws(BodyError) {
        var reader = try ObjectReader(body: bytes)
        reader.requireChange()
        expectedRevision = reader.expectedRevision(from: 1)
        reader.refuseNull("url", "payload", "format", "ordering", "verify", "enabled")
        url = reader.read("url", .url(.receiver))
        description = reader.change("description", .webhookDescription)
        eventTypes = reader.change("types") { $0.eventTypes() }
        session = reader.change("session_filter", .sessionFilter)
        labels = reader.labelsChange()
        payload = reader.word("payload")
        format = reader.word("format")
        if reader.isNull("request_headers") {
            headers = .clear
        } else if reader.present("request_headers") != nil {
            headers = .merge(reader.webhookHeaders(allowsNull: true))
        }
        ordering = reader.word("ordering")
        rateLimitPerSecond = reader.change("rate_limit_per_second", .deliveryRate)
        verification = reader.word("verify")
        isEnabled = reader.bool("enabled")
        try reader.close()
    }

    /// The settings after the patch, without ``url`` and ``headers``, which must be validated or encrypted first.
    public func applied(to current: WebhookSettings) -> WebhookSettings {
        var settings = current
        if let description { settings.description = description.value }
        if let eventTypes { settings.eventTypes = eventTypes.value }
        if let session { settings.session = session.value }
        if let labels { settings.labels = labels.value }
        if let payload { settings.form.payload = payload }
        if let format { settings.form.format = format }
        if let ordering { settings.ordering = ordering }
        if let rateLimitPerSecond { settings.rateLimitPerSecond = rateLimitPerSecond.value }
        if let verification { settings.verification = verification }
        return settings
    }
}

extension ObjectReader {
    /// An empty filter is equivalent to no filter.
    fileprivate mutating func labelsChange() -> DownloadEdit.Change<JSONText>? {
        guard member("labels_filter") != nil else { return nil }
        return labelsFilter().map { .set($0) } ?? .clear
    }
}
