/// The members of a request that are objects.
extension Download.Request {
    /// The credentials for the origin of the URL.
    public struct Authentication: Hashable, Sendable, Encodable {
        /// `basic`, `digest` or `bearer`.
        public var scheme: String
        public var username: String?
        public var password: String?
        public var token: String?

        public init(scheme: String, username: String? = nil, password: String? = nil, token: String? = nil) {
            self.scheme = scheme
            self.username = username
            self.password = password
            self.token = token
        }
    }

    /// The body of the request to the origin, at most 64 KiB.
    public enum Body: Hashable, Sendable, Encodable {
        case text(String)
        /// In base 64.
        case base64(String)

        enum CodingKeys: CodingKey { case text, base64 }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            switch self {
            case .text(let text): try container.encode(text, forKey: .text)
            case .base64(let text): try container.encode(text, forKey: .base64)
            }
        }
    }
}

/// The members of a patch that are objects.
extension Download.Patch {
    public struct Expected: Hashable, Sendable, Encodable {
        public var sizeBytes: Change<Int64>?
        /// Hexadecimal digests by algorithm.
        public var digests: Change<[String: String]>?
        public var contentType: Change<String>?

        public init() {}
    }

    public struct Limits: Hashable, Sendable, Encodable {
        public var maxBytes: Change<Int64>?
        public var rateBytesPerSecond: Change<Int64>?
        public var connections: Change<Int>?

        public init() {}
    }

    public struct Timeouts: Hashable, Sendable, Encodable {
        public var connectSeconds: Change<Int64>?
        public var silenceSeconds: Change<Int64>?
        public var giveUpSeconds: Change<Int64>?

        public init() {}
    }

    public struct Retry: Hashable, Sendable, Encodable {
        public var delaySeconds: Change<Int64>?
        public var maxDelaySeconds: Change<Int64>?
        public var statuses: Change<[Int]>?

        public init() {}
    }
}
