public import FoundationEssentials

/// The rate limits of the service.
public struct Limits: Hashable, Sendable, Decodable {
    /// What applies now.
    public struct Now: Hashable, Sendable, Decodable {
        public var paused: Bool?
        /// Nil if there is no limit.
        public var rateBytesPerSecond: Int64?
        /// `limit` or `schedule`.
        public var source: String?
        public var untilAt: Date?
    }

    /// Whether all downloads are paused.
    public var paused: Bool?
    /// Nil or 0 if there is none.
    public var rateBytesPerSecond: Int64?
    public var rateBytesPerSecondPerHost: Int64?
    /// The members that replace a setting.
    public var replaced: [String]?
    public var now: Now?

    enum CodingKeys: String, CodingKey {
        case paused, rateBytesPerSecond, rateBytesPerSecondPerHost, replaced, now
    }
}

/// What a `PATCH` changes. `clear` restores the setting, and a rate of 0 is no limit.
public struct LimitsPatch: Hashable, Sendable, Encodable {
    public var paused: Change<Bool>?
    public var rateBytesPerSecond: Change<Int64>?
    public var rateBytesPerSecondPerHost: Change<Int64>?

    public init() {}
}

/// A host of origins, and what is known of it.
public struct Host: Hashable, Sendable, Decodable {
    /// What led to its state.
    public struct Event: Hashable, Sendable, Decodable {
        public var at: Date?
        public var cause: String?
        public var connectionLimit: Int?
    }

    public struct Limits: Hashable, Sendable, Decodable {
        public var rateBytesPerSecond: Int64?
    }

    /// Host and port.
    public var authority: String
    /// `available`, `throttled`, `blocked` or `probing`.
    public var state: String
    public var reason: String?
    public var heldUntilAt: Date?
    public var openConnections: Int?
    public var connectionLimit: Int?
    public var maxConnectionLimit: Int?
    /// Why downloads of it wait, as a sentence.
    public var waitingReason: String?
    public var events: [Event]?
    public var limits: Limits?
}

/// Counts of the service.
public struct Stats: Hashable, Sendable, Decodable {
    public struct Disk: Hashable, Sendable, Decodable {
        public var freeBytes: Int64?
        public var reservedBytes: Int64?
    }

    public struct Webhooks: Hashable, Sendable, Decodable {
        public var pendingDeliveries: Int?
        public var pendingDeliveriesIsLowerBound: Bool?
    }

    /// Downloads by state.
    public var counts: [String: Int]
    public var receivedBytes: Int64?
    public var bytesPerSecond: Int64?
    public var receivedBytesSinceStart: Int64?
    public var connections: Int?
    public var oldestQueuedAt: Date?
    public var disk: Disk?
    public var webhooks: Webhooks?
    public var uptimeSeconds: Int64?
}

/// Limits, hosts and counts.
extension CormorantClient {
    public func stats() async throws(ClientError) -> Stats { try await get("/stats") }

    public func limits() async throws(ClientError) -> Limits { try await get("/limits") }

    public func changeLimits(_ patch: LimitsPatch) async throws(ClientError) -> Limits {
        try await send("PATCH", "/limits", patch)
    }

    public func hosts() -> Pages<Host> { Pages(client: self, path: "/hosts", query: []) }

    /// - Parameter authority: Host and port, such as `example.com:443`.
    public func host(_ authority: String) async throws(ClientError) -> Host {
        try await get(APIRequest.path("hosts", authority))
    }

    /// Limits the rate of a host; `clear` removes the limit.
    public func changeHost(
        _ authority: String,
        rateBytesPerSecond rate: Change<Int64>
    ) async throws(ClientError) -> Host {
        struct Patch: Encodable {
            struct Limits: Encodable { let rateBytesPerSecond: Change<Int64> }
            let limits: Limits
        }
        let patch = Patch(limits: Patch.Limits(rateBytesPerSecond: rate))
        return try await send("PATCH", APIRequest.path("hosts", authority), patch)
    }
}
