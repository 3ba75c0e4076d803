public import FoundationEssentials

/// A named group of downloads.
public struct Session: Hashable, Sendable, Decodable {
    public struct Limits: Hashable, Sendable, Codable {
        public var rateBytesPerSecond: Int64?
        public var maxConcurrent: Int?
        public var maxBytes: Int64?
    }

    public var name: String
    /// Whether it accepts no further downloads.
    public var sealed: Bool?
    /// How many of its downloads have not ended.
    public var openCount: Int?
    /// Downloads by state.
    public var counts: [String: Int]?
    public var receivedBytes: Int64?
    public var totalBytes: Int64?
    public var usedBytes: Int64?
    public var limits: Limits?
    public var description: String?
    public var labels: [String: String]?
    public var createdAt: Date?
    public var finishedAt: Date?
}

/// What a `PATCH` changes of a session. Properties that are nil stay as they are.
public struct SessionPatch: Hashable, Sendable, Encodable {
    public struct Limits: Hashable, Sendable, Encodable {
        public var rateBytesPerSecond: Change<Int64>?
        public var maxConcurrent: Change<Int>?
        public var maxBytes: Change<Int64>?

        public init() {}
    }

    /// `pause`, `resume`, `cancel` or `retry`, for all its downloads.
    public var action: String?
    public var sealed: Bool?
    public var limits: Limits?
    public var description: Change<String>?

    public init() {}
}

/// Sessions.
extension CormorantClient {
    /// All sessions.
    public func sessions() -> Pages<Session> { Pages(client: self, path: "/sessions", query: []) }

    public func session(_ name: String) async throws(ClientError) -> Session {
        try await get(APIRequest.path("sessions", name))
    }

    public func changeSession(_ name: String, _ patch: SessionPatch) async throws(ClientError) -> Session {
        try await send("PATCH", APIRequest.path("sessions", name), patch)
    }
}
