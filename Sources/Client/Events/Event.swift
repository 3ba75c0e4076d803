public import FoundationEssentials

/// An event of the log.
public struct Event: Hashable, Sendable, Decodable {
    /// Its number in the log.
    public var seq: Int64
    /// `evt_…`
    public var id: String
    /// Such as `download.completed`.
    public var type: String
    public var timestamp: Date?
    /// The download of an event whose type begins with `download.`.
    public var download: Download?
    /// What the event says.
    public var data: JSONValue
    /// The event as a stream sent it; nil in a page.
    public var json: String?

    enum CodingKeys: String, CodingKey {
        case seq, id, type, timestamp, data
    }

    /// The event of a delivery to a webhook.
    ///
    /// - Parameters:
    ///   - body: The body of the delivery, in the standard format.
    ///   - id: Its field `webhook-id`.
    /// - Returns: nil if the body is not an event.
    public init?(delivery body: [UInt8], id: String?) {
        struct Delivered: Decodable {
            let type: String
            let timestamp: Date?
            let data: JSONValue
        }
        struct OfDownload: Decodable { let data: Download }
        guard let read: Delivered = try? ClientJSON.decode(body) else { return nil }
        let subject: OfDownload? = read.type.hasPrefix("download.") ? try? ClientJSON.decode(body) : nil
        seq = read.data["seq"]?.integer ?? 0
        self.id = id ?? ""
        type = read.type
        timestamp = read.timestamp
        data = read.data
        download = subject?.data
        json = String(decoding: body, as: UTF8.self)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        seq = try container.decode(Int64.self, forKey: .seq)
        id = try container.decode(String.self, forKey: .id)
        type = try container.decode(String.self, forKey: .type)
        timestamp = try container.decodeIfPresent(Date.self, forKey: .timestamp)
        data = try container.decodeIfPresent(JSONValue.self, forKey: .data) ?? .null
        download = type.hasPrefix("download.") ? try? container.decode(Download.self, forKey: .data) : nil
    }
}

/// A page of the event log.
public struct EventPage: Hashable, Sendable, Decodable {
    public var items: [Event]
    /// Where the next page begins.
    public var nextAfterSeq: Int64?
    /// The oldest event that is kept; nil if there is none.
    public var oldestSeq: Int64?
    public var newestSeq: Int64?
}

/// Events.
extension CormorantClient {
    /// A page of the log.
    ///
    /// - Parameter limit: 1 to 200.
    public func eventPage(_ query: EventQuery, limit: Int? = nil) async throws(ClientError) -> EventPage {
        var request = APIRequest("GET", "/events", query: query.pairs(isStream: false))
        request.addQuery("limit", limit.map { "\($0)" })
        return try ClientJSON.decode(try await send(request).body)
    }

    /// A page of the log, and its JSON.
    public func rawEventPage(_ query: EventQuery, limit: Int) async throws(ClientError) -> (EventPage, [UInt8]) {
        try await raw("/events", query: query.pairs(isStream: false) + [APIRequest.Pair("limit", "\(limit)")])
    }

    /// A page of the log of one download.
    public func eventPage(
        of id: String,
        _ query: EventQuery = EventQuery(),
        limit: Int? = nil
    ) async throws(ClientError) -> EventPage {
        var request = APIRequest(
            "GET",
            APIRequest.path("downloads", id, "events"),
            query: query.pairs(isStream: false)
        )
        request.addQuery("limit", limit.map { "\($0)" })
        return try ClientJSON.decode(try await send(request).body)
    }

    /// Follows events as they happen. See ``EventStream``.
    public func events(_ query: EventQuery = EventQuery()) -> EventStream { EventStream(client: self, query: query) }

    /// A ticket for `path` (events or a file), for a program that cannot send the token.
    ///
    /// - Parameter seconds: Its lifetime, 1 to 300.
    public func ticket(for path: String, seconds: Int = 60) async throws(ClientError) -> Ticket {
        struct New: Encodable {
            let path: String
            let ttlSeconds: Int
        }
        return try await send("POST", "/tickets", New(path: path, ttlSeconds: seconds))
    }
}

/// A permission to read one path for a short time: append `?ticket=…` to it.
public struct Ticket: Hashable, Sendable, Decodable {
    public var ticket: String
    public var path: String
    public var expiresAt: Date?
    public var links: JSONValue?
}
