public import FoundationEssentials

/// Counts of the service.
public struct Stats: Hashable, Sendable, Decodable {
    public struct Disk: Hashable, Sendable, Decodable {
        public var freeBytes: Int64?
        public var reservedBytes: Int64?
        /// What the file system cannot do, such as `hard_links`.
        public var unsupported: [String]?
    }

    /// A folder of finished files.
    public struct Root: Hashable, Sendable, Decodable {
        public var root: String
        public var available: Bool?
        public var freeBytes: Int64?
        public var reservedBytes: Int64?
        /// What the file system cannot do, such as `hard_links`.
        public var unsupported: [String]?
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
    public var roots: [Root]?
    public var webhooks: Webhooks?
    public var uptimeSeconds: Int64?
}

/// A setting of the service, with its source. Secrets are redacted.
public struct Setting: Hashable, Sendable, Decodable {
    public var name: String
    public var value: String
    /// Such as `default` or `flag`.
    public var origin: String?
    public var description: String?
}

/// Whether the service works.
public struct Health: Hashable, Sendable, Decodable {
    public struct Check: Hashable, Sendable, Decodable {
        public var name: String
        public var ok: Bool
        public var detail: String?
    }

    public var state: String
    public var checks: [Check]?
}

/// Counts, settings and health.
extension CormorantClient {
    public func stats() async throws(ClientError) -> Stats { try await get("/stats") }

    public func settings() async throws(ClientError) -> [Setting] {
        struct Settings: Decodable { let items: [Setting] }
        let settings: Settings = try await get("/settings")
        return settings.items
    }

    /// Whether the process is alive.
    ///
    /// - Throws: `ClientError.notCormorant` with the status 503 if it is not.
    public func liveness() async throws(ClientError) -> Health { try await get("/livez") }

    /// Whether the service accepts requests.
    ///
    /// - Throws: `ClientError.notCormorant` with the status 503 if it does not.
    public func readiness() async throws(ClientError) -> Health { try await get("/readyz") }
}
