public import Core

/// Where events may be delivered to, as far as the text of a URL tells. The addresses that names lead to are judged at
/// each connection.
public struct WebhookDestinations: Hashable, Sendable {
    public var policy: DestinationPolicy
    /// Whether they may go there in clear text.
    public var allowsHTTP: Bool
    /// The name in which endpoints are asked for their consent; nil where the service has none.
    public var origin: String?

    public init(policy: DestinationPolicy = .any, allowsHTTP: Bool = false, origin: String? = nil) {
        self.policy = policy
        self.allowsHTTP = allowsHTTP
        self.origin = origin
    }

    /// Refuses a URL that nothing may be delivered to.
    ///
    /// - Parameter pointer: The member that it comes from.
    public func validate(_ url: DownloadURL, pointer: JSONPointer) throws(ServiceError) {
        guard url.isComplete, let scheme = URLScheme(url.scheme) else {
            throw .destinationForbidden(.scheme, pointer: pointer)
        }
        guard allowsHTTP || scheme == .https else {
            let detail = "Expected an https URL. The setting allow_insecure_webhooks permits http."
            throw .unprocessable([Violation(pointer, .malformed, detail)])
        }
        switch policy.validate(host: url.host, port: url.port, scheme: scheme) {
        case nil: return
        case .address: throw .destinationForbidden(.address, pointer: pointer)
        case .port: throw .destinationForbidden(.port, pointer: pointer)
        }
    }
}
