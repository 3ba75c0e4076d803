import HTTPFields

/// The settings of a webhook.
public struct WebhookSettings: Hashable, Sendable {
    public var url: DownloadURL
    /// The client's description.
    public var description: String?
    /// nil for the default types (``EventType/isDefault``).
    public var eventTypes: [EventPattern]?
    public var session: SessionFilter?
    /// Labels that a download, or a session, has to have, as canonical JSON.
    public var labels: JSONText?
    public var form: EventForm
    public var ordering: Ordering
    /// Deliveries per second, at least 1; nil for no limit.
    public var rateLimitPerSecond: Int?
    /// Encrypted header fields of each delivery.
    public var headers: SealedCredentials?
    public var headerNames: [String]
    public var verification: Verification

    /// Which deliveries wait for each other.
    public enum Ordering: String, CaseIterable, Hashable, Sendable {
        case none
        /// Deliveries of a session are sent one after the other.
        case session
    }

    /// The required check before the first event.
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

    /// The event types that it receives.
    public var filter: WebhookFilter {
        WebhookFilter(
            types: eventTypes.map { $0.reduce(into: []) { $0.formUnion($1.types) } },
            session: session,
            labels: labels.map(LabelFilter.init)
        )
    }
}

/// The form in which a webhook receives events.
public struct EventForm: Hashable, Sendable {
    public var payload: Payload
    public var format: Format

    public enum Payload: String, CaseIterable, Hashable, Sendable {
        /// The subject as it was right after the event.
        case snapshot
        /// Identifiers of the subject.
        case thin
    }

    public enum Format: String, CaseIterable, Hashable, Sendable {
        /// `{"type", "timestamp", "data"}` of Standard Webhooks 1.0.0.
        case standard
        /// The structured mode of CloudEvents 1.0.
        case cloudEvents = "cloudevents"
    }

    public init(payload: Payload, format: Format) {
        self.payload = payload
        self.format = format
    }

    /// The form of the log, which most webhooks have.
    public static let standard = Self(payload: .snapshot, format: .standard)
}

/// The request for an endpoint's consent (CloudEvents 1.0.2, HTTP 1.1 Web Hooks, section 4).
public struct ConsentRequest: Hashable, Sendable {
    /// The field with the service's name, in the request and in each later delivery.
    public static let originField = "WebHook-Request-Origin"
    /// The field of a consenting answer.
    public static let allowedOriginField = "WebHook-Allowed-Origin"

    /// The service's DNS name.
    public let origin: String
    /// The maximum of deliveries per second; nil for no promise.
    public let ratePerSecond: Int?

    public init(origin: String, ratePerSecond: Int?) {
        self.origin = origin
        self.ratePerSecond = ratePerSecond
    }

    public var fields: [(name: String, value: String)] {
        let rate = ratePerSecond.map { [("WebHook-Request-Rate", "\($0 * 60)")] } ?? []
        return [(Self.originField, origin)] + rate
    }

    /// Whether an endpoint consented. The status does not matter: an endpoint without this check may answer 200.
    /// Neither does its allowed rate, because it answers 429 to what exceeds that.
    ///
    /// - Parameter allowed: The value of ``allowedOriginField`` in the answer.
    public func isAgreed(by allowed: String?) -> Bool {
        allowed == "*" || allowed?.lowercasedASCII == origin.lowercasedASCII
    }
}
