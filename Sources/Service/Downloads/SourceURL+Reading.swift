public import Core
import Transfer

extension GivenURL {
    /// Parses the URL of a download with the parser that will connect to it, so that what is validated is what is
    /// asked. One of a scheme that nothing is fetched by is read too: the destination policy refuses it.
    ///
    /// - Parameter pointer: The member that it comes from.
    public init(parsing text: String, at pointer: JSONPointer) throws(Violation) {
        do throws(InvalidURL) {
            let (url, user, password) = try DownloadURL.parse(text, files: true)
            self.init(url: url, user: user, password: password)
        } catch {
            guard error.hasOtherScheme else { throw Violation(pointer, .malformed, error.detail) }
            let scheme = String(text.prefix { $0 != ":" })
            self.init(url: DownloadURL(text: text, scheme: scheme, host: "", port: 0, path: ""))
        }
    }
}

extension DownloadURL {
    /// Reads the URL of a client's request.
    ///
    /// - Parameter pointer: The member that it comes from.
    private static func read(
        _ text: String,
        pointer: JSONPointer
    ) throws(ServiceError) -> (url: DownloadURL, user: String?, password: String?) {
        do {
            return try parse(text)
        } catch {
            if error.hasOtherScheme { throw .destinationForbidden(.scheme, pointer: pointer) }
            throw .invalid([Violation(pointer, .malformed, error.detail)])
        }
    }

    /// Reads one that has no user information.
    ///
    /// - Parameter detail: What is said of one that has.
    static func read(
        _ text: String,
        pointer: JSONPointer,
        refusingUser detail: String
    ) throws(ServiceError) -> DownloadURL {
        let (url, user, password) = try read(text, pointer: pointer)
        guard user == nil && password == nil else {
            throw .invalid([Violation(pointer, .malformed, detail)])
        }
        return url
    }
}

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
    public func check(_ text: String, pointer: JSONPointer) throws(ServiceError) -> String {
        let url = try DownloadURL.read(
            text,
            pointer: pointer,
            refusingUser: "Expected a URL without user information: deliveries are signed."
        )
        guard let scheme = URLScheme(url.scheme) else { throw .destinationForbidden(.scheme, pointer: pointer) }
        guard allowsHTTP || scheme == .https else {
            let detail = "Expected an https URL. The setting allow_insecure_webhooks permits http."
            throw .unprocessable([Violation(pointer, .malformed, detail)])
        }
        switch policy.validate(host: url.host, port: url.port, scheme: scheme) {
        case nil: return url.text
        case .address: throw .destinationForbidden(.address, pointer: pointer)
        case .port: throw .destinationForbidden(.port, pointer: pointer)
        }
    }
}
