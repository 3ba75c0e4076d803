import HTTPFields

/// A client's secrets for the origin. They are sent only to the origin of the source URL.
public struct RequestCredentials: Hashable, Sendable {
    /// In the client's order.
    public var headers: [Header]
    /// The user name from the URL.
    public var user: String?
    public var password: String?
    public var authentication: OriginAuthentication?
    /// In the client's order.
    public var cookies: [Cookie]
    /// The body of a POST; nil for a GET.
    public var postBody: [UInt8]?
    /// nil for the service's proxy settings.
    public var proxy: ProxyChoice?

    /// A header field of a download's requests. Its value is a secret.
    public struct Header: Hashable, Sendable, CustomStringConvertible {
        public let name: String
        public let value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        /// The name without the value, so that the value is never logged.
        public var description: String { "\(name): REDACTED" }
    }

    /// A cookie of a download's requests. Its value is a secret.
    public struct Cookie: Hashable, Sendable, CustomStringConvertible {
        /// Names are case-sensitive (RFC 6265, section 4.1.1).
        public let name: String
        public let value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        /// The name without the value, so that the value is never logged.
        public var description: String { "\(name)=REDACTED" }
    }

    public init(
        headers: [Header] = [],
        user: String? = nil,
        password: String? = nil,
        authentication: OriginAuthentication? = nil,
        cookies: [Cookie] = [],
        postBody: [UInt8]? = nil,
        proxy: ProxyChoice? = nil
    ) {
        self.headers = headers
        self.user = user
        self.password = password
        self.authentication = authentication
        self.cookies = cookies
        self.postBody = postBody
        self.proxy = proxy
    }

    public var isEmpty: Bool { self == Self() }

    /// Whether there is a header field of this name. Case does not matter.
    public func hasHeader(_ name: String) -> Bool {
        headers.contains { $0.name.lowercasedASCII == name.lowercasedASCII }
    }
}

extension RequestCredentials: CustomStringConvertible {
    /// A fixed text, so that no secret is logged.
    public var description: String { "REDACTED" }
}

/// The methods of a download's request.
public enum RequestMethod: String, CaseIterable, Hashable, Sendable {
    case get = "GET"
    case post = "POST"
}
