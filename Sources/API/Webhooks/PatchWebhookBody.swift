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
        var list = ViolationList()
        var reader = try ObjectReader(body: bytes)
        reader.requireChange(&list)
        expectedRevision = reader.expectedRevision(from: 1, &list)
        reader.refuseNull(["url", "payload", "format", "ordering", "verify", "enabled"], &list)
        url = reader.url("url", of: .receiver, &list)
        description = reader.change("description") { $0.webhookDescription(&list) }
        eventTypes = reader.change("types") { $0.eventTypes(&list) }
        session = reader.change("session_filter") { $0.sessionFilter(&list) }
        labels = reader.labelsChange(&list)
        payload = reader.word("payload", &list)
        format = reader.word("format", &list)
        if reader.value("request_headers") == .null {
            headers = .clear
        } else if reader.present("request_headers") != nil {
            headers = .merge(reader.webhookHeaders(allowsNull: true, &list))
        }
        ordering = reader.word("ordering", &list)
        rateLimitPerSecond = reader.change("rate_limit_per_second") { $0.deliveryRate(&list) }
        verification = reader.word("verify", &list)
        isEnabled = reader.bool("enabled", &list)
        try reader.close(&list)
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
    fileprivate mutating func labelsChange(_ list: inout ViolationList) -> DownloadEdit.Change<JSONText>? {
        guard value("labels_filter") != nil else { return nil }
        return labelsFilter(&list).map { .set($0) } ?? .clear
    }
}
