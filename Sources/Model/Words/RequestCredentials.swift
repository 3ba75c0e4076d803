/// What a client gave for the origin's eyes alone. It is sent to the source URL's own origin, and nowhere else.
public struct RequestCredentials: Hashable, Sendable {
    /// In the order given.
    public var headers: [Header]
    /// The URL's user information.
    public var user: String?
    public var password: String?
    public var authentication: OriginAuthentication?
    /// In the order given.
    public var cookies: [Cookie]
    /// The body of a POST; nil asks by GET.
    public var postBody: [UInt8]?
    /// Nil leaves it to the service's settings.
    public var proxy: ProxyChoice?

    /// A header field that a download sends along; its value is a secret.
    public struct Header: Hashable, Sendable, CustomStringConvertible {
        public let name: String
        public let value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        /// Without the value, so that it comes into no log.
        public var description: String { "\(name): REDACTED" }
    }

    /// A cookie that a download sends along; its value is a secret.
    public struct Cookie: Hashable, Sendable, CustomStringConvertible {
        /// Case matters (RFC 6265, section 4.1.1).
        public let name: String
        public let value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        /// Without the value, so that it comes into no log.
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

    /// Whether a header field of this name is among those given.
    public func hasHeader(_ name: String) -> Bool {
        headers.contains { $0.name.lowercasedASCII == name.lowercasedASCII }
    }
}

extension RequestCredentials: CustomStringConvertible {
    /// Without what it holds, so that it comes into no log.
    public var description: String { "REDACTED" }
}
