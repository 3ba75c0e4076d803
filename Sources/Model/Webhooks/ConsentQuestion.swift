/// The question whether an endpoint agrees to receive events (CloudEvents 1.0.2, HTTP 1.1 Web Hooks, section 4).
public struct ConsentQuestion: Hashable, Sendable {
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
