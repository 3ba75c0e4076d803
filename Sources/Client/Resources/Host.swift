public import FoundationEssentials

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
    public var connectionsPerDownload: Int?
    public var refusesRangesUntilAt: Date?
    public var limits: Limits?
    public var links: JSONValue?
}
