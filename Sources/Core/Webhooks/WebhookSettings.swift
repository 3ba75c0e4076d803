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
    public var form: EventForm
    public var ordering: Ordering
    /// Deliveries per second, at least 1; nil for no limit.
    public var rateLimitPerSecond: Int?
    /// The encrypted header fields that each delivery sends.
    public var headers: SealedCredentials?
    public var headerNames: [String]
    public var verification: Verification

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

    public init(
        url: DownloadURL,
        description: String? = nil,
        eventTypes: [EventPattern]? = nil,
        session: SessionFilter? = nil,
        labels: JSONText? = nil,
        form: EventForm = .standard,
        ordering: Ordering = .none,
        rateLimitPerSecond: Int? = nil,
        headers: SealedCredentials? = nil,
        headerNames: [String] = [],
        verification: Verification = .none
    ) {
        self.url = url
        self.description = description
        self.eventTypes = eventTypes
        self.session = session
        self.labels = labels
        self.form = form
        self.ordering = ordering
        self.rateLimitPerSecond = rateLimitPerSecond
        self.headers = headers
        self.headerNames = headerNames
        self.verification = verification
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

/// The payload and format of the events that a webhook receives.
public struct EventForm: Hashable, Sendable {
    public var payload: Payload
    public var format: Format

    public enum Payload: String, CaseIterable, Hashable, Sendable {
        /// The whole subject, in its state immediately after the event.
        case snapshot
        /// Only the identifiers of the subject.
        case thin
    }

    public enum Format: String, CaseIterable, Hashable, Sendable {
        /// `{"type", "timestamp", "data"}`, as in Standard Webhooks 1.0.0.
        case standard
        /// The structured mode of CloudEvents 1.0.
        case cloudEvents = "cloudevents"
    }

    public init(payload: Payload, format: Format) {
        self.payload = payload
        self.format = format
    }

    /// The form of the event log. Most webhooks use it.
    public static let standard = Self(payload: .snapshot, format: .standard)
}

/// The request for an endpoint's consent (CloudEvents 1.0.2, HTTP 1.1 Web Hooks, section 4).
public struct ConsentRequest: Hashable, Sendable {
    /// The field with the service's DNS name, in the consent request and in each delivery.
    public static let originField = "WebHook-Request-Origin"
    /// The field of a response that grants consent.
    public static let allowedOriginField = "WebHook-Allowed-Origin"

    /// The service's DNS name.
    public let origin: String
    /// The maximum rate of deliveries per second; nil if none is stated.
    public let ratePerSecond: Int?

    public init(origin: String, ratePerSecond: Int?) {
        self.origin = origin
        self.ratePerSecond = ratePerSecond
    }

    public var fields: [(name: String, value: String)] {
        let rate = ratePerSecond.map { [("WebHook-Request-Rate", "\($0 * 60)")] } ?? []
        return [(Self.originField, origin)] + rate
    }

    /// Whether the endpoint consents. The status is ignored, because an endpoint without this check may return 200. Its
    /// allowed rate is ignored too, because it returns 429 above that rate.
    ///
    /// - Parameter allowed: The value of ``allowedOriginField`` in the response.
    public func isAgreed(by allowed: String?) -> Bool {
        allowed == "*" || allowed?.lowercasedASCII == origin.lowercasedASCII
    }
}
