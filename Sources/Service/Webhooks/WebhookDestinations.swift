public import Core

/// The allowed destinations of events, as far as the text of a URL shows. The addresses of host names are checked at
/// each connection.
public struct WebhookDestinations: Hashable, Sendable {
    public var policy: DestinationPolicy
    /// Whether `http` URLs are allowed.
    public var allowsHTTP: Bool
    /// The origin in requests for the consent of endpoints; nil if the service has none.
    public var origin: String?

    public init(policy: DestinationPolicy = .any, allowsHTTP: Bool = false, origin: String? = nil) {
        self.policy = policy
        self.allowsHTTP = allowsHTTP
        self.origin = origin
    }

    /// Throws if events must not be sent to a URL.
    ///
    /// - Parameter pointer: The member with the URL.
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
