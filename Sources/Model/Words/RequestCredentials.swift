/// What a client gave for the origin's eyes alone. It is sent to the source URL's own origin, and nowhere else.
public struct RequestCredentials: Hashable, Sendable {
    /// In the order given.
    public var headers: [Header]
    public var user: String?
    public var password: String?

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

    public init(headers: [Header] = [], user: String? = nil, password: String? = nil) {
        self.headers = headers
        self.user = user
        self.password = password
    }

    public var isEmpty: Bool { self == Self() }
}

extension RequestCredentials: CustomStringConvertible {
    /// Without what it holds, so that it comes into no log.
    public var description: String { "REDACTED" }
}
