public import FoundationEssentials

/// One event for one webhook.
public struct Delivery: Hashable, Sendable, Decodable {
    /// One request to the receiver.
    public struct Attempt: Hashable, Sendable, Decodable {
        public var number: Int
        public var startedAt: Date?
        public var durationMs: Int64?
        public var httpStatus: Int?
        public var error: String?
        public var responseExcerpt: String?
        public var nextAttemptAt: Date?
        public var requestHeaders: [String: String]?
        public var remoteAddress: String?
    }

    public struct Counters: Hashable, Sendable, Decodable { public var attempt: Int? }

    /// `dlv_…`
    public var id: String
    public var counters: Counters?
    public var webhookID: String?
    public var eventID: String?
    public var eventType: String?
    public var seq: Int64?
    public var state: String
    public var nextAttemptAt: Date?
    public var createdAt: Date?
    public var finishedAt: Date?
    /// Its requests: only of a single delivery.
    public var attempts: [Attempt]?
    /// What is sent and signed: only of a single delivery.
    public var body: String?
    public var links: JSONValue?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case id, counters, eventType, seq, state, nextAttemptAt, createdAt, finishedAt, attempts, body, links
        case eventID = "eventId"
        case webhookID = "webhookId"
    }
}
