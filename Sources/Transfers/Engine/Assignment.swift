public import Model

/// A download to work on, with what is needed to ask for it.
public struct Assignment: Sendable {
    public var download: Download
    /// What of the current generation is on the disk.
    public var segments: [Segment]
    public var hostRefusesRanges: Bool
    public var credentials: RequestCredentials

    public init(
        download: Download,
        segments: [Segment] = [],
        hostRefusesRanges: Bool = false,
        credentials: RequestCredentials = RequestCredentials()
    ) {
        self.download = download
        self.segments = segments
        self.hostRefusesRanges = hostRefusesRanges
        self.credentials = credentials
    }
}

/// What a client gave for the origin's eyes alone. It is sent to the source URL's own origin, and nowhere else.
public struct RequestCredentials: Hashable, Sendable {
    /// In the order given.
    public var headers: [Header]
    public var user: String?
    public var password: String?

    public struct Header: Hashable, Sendable {
        public let name: String
        public let value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    public init(headers: [Header] = [], user: String? = nil, password: String? = nil) {
        self.headers = headers
        self.user = user
        self.password = password
    }

    public var isEmpty: Bool { self == Self() }
}
