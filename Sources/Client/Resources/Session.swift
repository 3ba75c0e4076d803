public import FoundationEssentials

/// A named group of downloads.
public struct Session: Hashable, Sendable, Decodable {
    public struct Limits: Hashable, Sendable, Codable {
        public var rateBytesPerSecond: Int64?
        public var maxConcurrent: Int?
        public var maxBytes: Int64?

        public init(rateBytesPerSecond: Int64? = nil, maxConcurrent: Int? = nil, maxBytes: Int64? = nil) {
            self.rateBytesPerSecond = rateBytesPerSecond
            self.maxConcurrent = maxConcurrent
            self.maxBytes = maxBytes
        }
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
    public var counters: Counters?
    /// When the finished files of its downloads are removed.
    public var expiresAt: Date?
    /// How long the finished files of its downloads are kept.
    public var keepFileSeconds: FileRetention?
    public var callbackURL: String?
    public var webhookIDs: [String]?
    public var createdAt: Date?
    public var finishedAt: Date?
    public var links: JSONValue?
    /// The result of an action: only in the answer to it.
    public var acted: Acted?

    /// Numbers that only grow.
    public struct Counters: Hashable, Sendable, Decodable {
        public var revision: Int64?
        /// The number of its next `session.finished`.
        public var epoch: Int?
    }

    public struct Acted: Hashable, Sendable, Decodable {
        public var action: String
        public var matched: Int?
        public var changed: Int?
        public var unchanged: Int?
        public var refused: Int?
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, sealed, openCount, counts, receivedBytes, totalBytes, usedBytes, limits, description, labels
        case counters, expiresAt, keepFileSeconds, createdAt, finishedAt, links, acted
        case callbackURL = "callbackUrl"
        case webhookIDs = "webhookIds"
    }
}

/// A session as a `PUT` sets it. Properties that are nil have their defaults.
public struct SessionSettings: Hashable, Sendable, Encodable {
    public var limits: Session.Limits?
    public var callbackURL: String?
    public var webhookIDs: [String]?
    public var expiresAt: Date?
    public var keepFileSeconds: FileRetention?
    public var description: String?
    public var labels: [String: String]?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case limits, callbackURL, expiresAt, keepFileSeconds, description, labels
        case webhookIDs = "webhookIds"
    }

    public init() {}
}

/// Sessions.
extension CormorantClient {
    /// All sessions.
    public func sessions() -> Pages<Session> { Pages(client: self, path: "/sessions", query: []) }

    public func session(_ name: String) async throws(ClientError) -> Session {
        try await get(APIRequest.path("sessions", name))
    }

    /// Creates a session, or replaces its settings.
    public func putSession(_ name: String, _ settings: SessionSettings) async throws(ClientError) -> Session {
        try await send("PUT", APIRequest.path("sessions", name), settings)
    }

    /// Deletes a session without downloads.
    public func deleteSession(_ name: String) async throws(ClientError) {
        _ = try await send(APIRequest("DELETE", APIRequest.path("sessions", name)))
    }

    public func changeSession(_ name: String, _ patch: SessionPatch) async throws(ClientError) -> Session {
        try await send("PATCH", APIRequest.path("sessions", name), patch)
    }
}
