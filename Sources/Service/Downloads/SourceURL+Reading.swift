public import Core
import Transfer

extension GivenURL {
    /// Parses the URL of a download with libcurl's parser, which also connects, so that the validated URL is the
    /// requested one. A URL of an unsupported scheme is accepted here: the destination policy refuses it.
    ///
    /// - Parameter pointer: The member that it comes from.
    public init(parsing text: String, at pointer: JSONPointer) throws(Violation) {
        do throws(InvalidURL) {
            let (url, user, password) = try SourceURL.parse(text, files: true)
            self.init(url: url, user: user, password: password)
        } catch {
            guard error.hasOtherScheme else { throw Violation(pointer, .malformed, error.detail) }
            let scheme = String(text.prefix { $0 != ":" })
            self.init(url: SourceURL(text: text, scheme: scheme, host: "", port: 0, path: ""))
        }
    }
}

extension SourceURL {
    /// Reads the URL of a client's request.
    ///
    /// - Parameter pointer: The member that it comes from.
    private static func read(
        _ text: String,
        pointer: JSONPointer
    ) throws(ServiceError) -> (url: SourceURL, user: String?, password: String?) {
        do {
            return try parse(text)
        } catch {
            if error.hasOtherScheme { throw .destinationForbidden(.scheme, pointer: pointer) }
            throw .invalid([Violation(pointer, .malformed, error.detail)])
        }
    }

    /// Reads one that has no user information.
    ///
    /// - Parameter detail: The violation's text for a URL with user information.
    static func read(
        _ text: String,
        pointer: JSONPointer,
        refusingUser detail: String
    ) throws(ServiceError) -> SourceURL {
        let (url, user, password) = try read(text, pointer: pointer)
        guard user == nil && password == nil else {
            throw .invalid([Violation(pointer, .malformed, detail)])
        }
        return url
    }
}

/// The allowed URLs of webhooks. Addresses of names are checked at each connection.
public struct WebhookDestinations: Hashable, Sendable {
    public var policy: DestinationPolicy
    /// Whether http is allowed.
    public var allowsHTTP: Bool
    /// The service's name in requests for an endpoint's consent; nil for none.
    public var origin: String?

    public init(policy: DestinationPolicy = .any, allowsHTTP: Bool = false, origin: String? = nil) {
        self.policy = policy
        self.allowsHTTP = allowsHTTP
        self.origin = origin
    }

    /// The URL in its normal form.
    ///
    /// - Parameter pointer: The member that it comes from.
    public func check(_ text: String, pointer: JSONPointer) throws(ServiceError) -> String {
        let url = try SourceURL.read(
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
