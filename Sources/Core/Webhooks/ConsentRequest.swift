import HTTPFields

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
