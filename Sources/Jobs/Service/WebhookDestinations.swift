public import Model
import Transfers

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

    /// The URL as it is kept.
    ///
    /// - Parameter pointer: The member that it comes from.
    public func check(_ text: String, pointer: String) throws(JobError) -> String {
        let url = try SourceURL.read(
            text,
            pointer: pointer,
            refusingUser: "It has no user information: deliveries are signed."
        )
        guard let scheme = URLScheme(url.scheme) else { throw .destinationForbidden(.scheme, pointer: pointer) }
        guard allowsHTTP || scheme == .https else {
            let detail = "Events are delivered over https; the setting allow_insecure_webhooks lets them go over http."
            throw .unprocessable([JobError.Violation(pointer: pointer, detail: detail)])
        }
        switch policy.judge(host: url.host, port: url.port, scheme: scheme) {
        case nil: return url.text
        case .address: throw .destinationForbidden(.address, pointer: pointer)
        case .port: throw .destinationForbidden(.port, pointer: pointer)
        }
    }
}
