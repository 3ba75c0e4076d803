/// A webhook to create.
public struct NewWebhook: Hashable, Sendable, Encodable {
    public var url: String
    public var description: String?
    /// Patterns such as `download.*`; nil for the service's default.
    public var types: [String]?
    public var sessionFilter: String?
    public var labelsFilter: [String: String]?
    /// `snapshot` or `thin`.
    public var payload: String?
    /// `standard` or `cloudevents`.
    public var format: String?
    /// `none` or `session`.
    public var ordering: String?
    /// `none` or `cloudevents`.
    public var verify: String?
    public var rateLimitPerSecond: Int?
    public var requestHeaders: [String: String]?
    public var enabled: Bool?
    /// `whsec_…`; nil to let the service make one.
    public var secret: String?

    public init(url: String) { self.url = url }
}
