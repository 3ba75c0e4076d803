import HTTPFields

/// What may be said of a webhook.
public struct WebhookSettings: Hashable, Sendable {
    /// As ``SourceURL/text``.
    public var url: String
    /// The client's own words.
    public var description: String?
    /// nil for what every webhook receives (``EventType/isDefault``).
    public var eventTypes: [EventPattern]?
    public var session: SessionFilter?
    /// Labels that a download, or a session, has to have, as canonical JSON.
    public var labels: JSONText?
    public var form: EventForm
    public var ordering: Ordering
    /// How many are sent in a second, at least 1; nil for no limit.
    public var rateLimitPerSecond: Int?
    /// Header fields that go with each delivery, encrypted.
    public var headers: SealedCredentials?
    public var headerNames: [String]
    public var verification: Verification

    /// Which deliveries wait for each other.
    public enum Ordering: String, CaseIterable, Hashable, Sendable {
        case none
        /// Those of a session are sent one after the other.
        case session
    }

    /// What has to come before the first event.
    public enum Verification: String, CaseIterable, Hashable, Sendable {
        case none
        /// The endpoint is asked, and agrees (``ConsentRequest``).
        case cloudEvents = "cloudevents"
    }

    public init(
        url: String,
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

    /// Which events it receives.
    public var filter: WebhookFilter {
        WebhookFilter(
            types: eventTypes.map { $0.reduce(into: []) { $0.formUnion($1.types) } },
            session: session,
            labels: labels.map(LabelFilter.init)
        )
    }
}

/// In which form a webhook receives events.
public struct EventForm: Hashable, Sendable {
    public var payload: Payload
    public var format: Format

    public enum Payload: String, CaseIterable, Hashable, Sendable {
        /// The subject as it was right after the event.
        case snapshot
        /// What finds the subject.
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

    /// That of the log, in which most webhooks receive events.
    public static let standard = Self(payload: .snapshot, format: .standard)
}

/// The question whether an endpoint agrees to receive events (CloudEvents 1.0.2, HTTP 1.1 Web Hooks, section 4).
public struct ConsentRequest: Hashable, Sendable {
    /// The field that names the service, in the question and in each delivery that follows.
    public static let originField = "WebHook-Request-Origin"
    /// The field of an answer that agrees.
    public static let allowedOriginField = "WebHook-Allowed-Origin"

    /// Names the service, as DNS would.
    public let origin: String
    /// How many deliveries in a second there will be at the most; nil where nothing is promised.
    public let ratePerSecond: Int?

    public init(origin: String, ratePerSecond: Int?) {
        self.origin = origin
        self.ratePerSecond = ratePerSecond
    }

    public var fields: [(name: String, value: String)] {
        let rate = ratePerSecond.map { [("WebHook-Request-Rate", "\($0 * 60)")] } ?? []
        return [(Self.originField, origin)] + rate
    }

    /// Whether an endpoint agreed. The status of its answer says nothing: one that does not know the question may
    /// answer 200. Nor does the rate that it allows, since it answers 429 to what exceeds that.
    ///
    /// - Parameter allowed: The value of ``allowedOriginField`` in the answer.
    public func isAgreed(by allowed: String?) -> Bool {
        allowed == "*" || allowed?.lowercasedASCII == origin.lowercasedASCII
    }
}
