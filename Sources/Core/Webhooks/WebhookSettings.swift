import HTTPFields

/// The settings of a webhook.
public struct WebhookSettings: Hashable, Sendable {
    public var url: DownloadURL
    /// The client's description.
    public var description: String?
    /// The patterns of event types; nil for the default types (``EventType/isDefault``).
    public var eventTypes: [EventPattern]?
    public var session: SessionFilter?
    /// The labels that a download or session must have, as canonical JSON.
    public var labels: JSONText?
    public var form = EventForm.standard
    public var ordering = Ordering.none
    /// Deliveries per second, at least 1; nil for no limit.
    public var rateLimitPerSecond: Int?
    /// The encrypted header fields that each delivery sends.
    public var headers: SealedCredentials?
    public var headerNames: [String] = []
    public var verification = Verification.none

    /// Which deliveries are sent one after the other.
    public enum Ordering: String, CaseIterable, Hashable, Sendable {
        case none
        /// The deliveries of a session.
        case session
    }

    /// The check that must succeed before the first event is sent.
    public enum Verification: String, CaseIterable, Hashable, Sendable {
        case none
        /// The endpoint must consent (``ConsentRequest``).
        case cloudEvents = "cloudevents"
    }

    public init(url: DownloadURL) {
        self.url = url
    }

    /// The filter from event types, session and labels.
    public var filter: WebhookFilter {
        WebhookFilter(
            types: eventTypes.map { $0.reduce(into: []) { $0.formUnion($1.types) } },
            session: session,
            labels: labels.map(LabelFilter.init)
        )
    }
}
