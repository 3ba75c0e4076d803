public import FoundationEssentials

/// What a `PATCH` changes of a download. Properties that are nil stay as they are; `clear` restores the default.
public struct DownloadPatch: Hashable, Sendable, Encodable {
    /// `pause`, `resume`, `cancel` or `retry`.
    public var action: String?
    /// Whether `cancel` keeps the bytes.
    public var keepPartial: Bool?
    /// Whether a completed download is fetched again by `retry`.
    public var force: Bool?
    /// The change is refused with 409 if the download has changed since this revision.
    public var expectedRevision: Int64?
    public var url: String?
    public var mirrors: Change<[String]>?
    public var refreshURL: Change<String>?
    /// Header fields for the origin, by name. Those that are not named stay.
    public var requestHeaders: Change<[String: Change<String>]>?
    public var authentication: Change<NewDownload.Authentication>?
    /// By name. Those that are not named stay.
    public var cookies: Change<[String: Change<String>]>?
    /// `GET` or `POST`.
    public var method: String?
    public var body: Change<NewDownload.Body>?
    public var proxy: Change<String>?
    public var session: Change<String>?
    public var directory: Change<String>?
    public var filename: Change<String>?
    public var expected: Expected?
    public var webhookIDs: Change<[String]>?
    public var deadlineAt: Date?
    public var limits: Limits?
    /// It can be changed until the first attempt.
    public var root: Change<String>?
    public var maxAttempts: Change<Int>?
    public var timeouts: Timeouts?
    public var retry: Retry?
    public var priority: Int?
    public var notBeforeAt: Change<Date>?
    public var expiresAt: Change<Date>?
    public var keepFileSeconds: Change<FileRetention>?
    public var labels: [String: Change<String>]?
    public var description: Change<String>?
    public var metadata: Change<JSONValue>?
    /// Whether a web page is accepted in place of a file.
    public var acceptHTML: Bool?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case action, keepPartial, force, expectedRevision, url, mirrors, refreshURL, requestHeaders, authentication
        case cookies, method, body, proxy, session, directory, filename, expected, deadlineAt, limits, root
        case maxAttempts, timeouts, retry, priority, notBeforeAt, expiresAt, keepFileSeconds, labels, description
        case metadata, acceptHTML
        case webhookIDs = "webhookIds"
    }

    public init(action: String? = nil) { self.action = action }

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

/// How long a finished file is kept.
public enum FileRetention: Hashable, Sendable, Codable {
    case seconds(Int64)
    case forever

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self = (try? container.decode(Int64.self)).map { .seconds($0) } ?? .forever
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .seconds(let seconds): try container.encode(seconds)
        case .forever: try container.encode("forever")
        }
    }
}
