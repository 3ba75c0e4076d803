public import FoundationEssentials

/// A download, as the service shows it.
///
/// A request may ask for some of the members only (``DownloadDetail``); the others are then nil. A member that this
/// version does not know is ignored.
public struct Download: Hashable, Sendable, Codable {
    /// `dl_…`; ids are ordered by time of creation.
    public var id: String
    public var counters: Counters?
    /// `queued`, `running`, `waiting`, `paused`, `completed`, `failed` or `cancelled`; later versions may add others.
    public var state: String
    /// The part of the work, while the state is `running`.
    public var phase: String?
    /// What keeps the download from running: `retry`, `space`, `host`, …
    public var waitingFor: String?
    /// ``waitingFor`` as a sentence with the number and the instant.
    public var waitingReason: String?
    /// The actions that are possible now: `pause`, `resume`, `cancel`, `retry`.
    public var allowedActions: [String]?
    /// The URL, with secrets redacted.
    public var url: String?
    public var mirrors: [String]?
    /// `follow` or `keep`: how a Metalink document is used.
    public var metalink: String?
    /// Gives another URL for the file; its query is redacted.
    public var refreshURL: String?
    public var method: String?
    /// The size of the request's body; nil without one.
    public var bodyBytes: Int64?
    /// By name; the values are redacted.
    public var requestHeaders: [String: String]?
    /// By name; the values are redacted.
    public var cookies: [String: String]?
    public var authentication: Authentication?
    public var proxy: String?
    public var session: String?
    /// Nil for the setting `downloads_dir`.
    public var root: String?
    /// The folder below the root.
    public var directory: String?
    /// The best name known of the file.
    public var name: String?
    public var filename: String?
    public var onConflict: String?
    public var expected: Expected?
    public var limits: Limits?
    public var maxAttempts: Int?
    public var timeouts: Timeouts?
    public var retry: Retry?
    /// -100 to 100; higher first.
    public var priority: Int?
    public var description: String?
    public var labels: [String: String]?
    public var metadata: JSONValue?
    public var dedupeKey: String?
    public var acceptUnverifiedLength: Bool?
    /// Whether a web page is accepted in place of a file.
    public var acceptHTML: Bool?
    /// Nil for the setting.
    public var preserveMtime: Bool?
    /// Whether it is completed with a file that was there before.
    public var skipped: Bool?
    public var callbackURL: String?
    /// Those of requests that joined it by their key.
    public var joinedCallbackURLs: [String]?
    public var webhookIDs: [String]?
    public var progress: Progress?
    public var source: Source?
    public var file: File?
    public var error: Failure?
    public var createdAt: Date?
    public var updatedAt: Date?
    public var queuedAt: Date?
    public var startedAt: Date?
    public var finishedAt: Date?
    public var notBeforeAt: Date?
    public var nextAttemptAt: Date?
    public var deadlineAt: Date?
    /// When the finished file is removed.
    public var expiresAt: Date?
    /// How long the finished file is kept.
    public var keepFileSeconds: FileRetention?
    /// Paths of what belongs to it.
    public var links: JSONValue?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case id, counters, state, phase, waitingFor, waitingReason, allowedActions, url, mirrors, metalink, method
        case bodyBytes, requestHeaders, cookies, authentication, proxy, session, root, directory, name, filename
        case onConflict, expected, limits, maxAttempts, timeouts, retry, priority, description, labels, metadata
        case dedupeKey, acceptUnverifiedLength, preserveMtime, skipped, progress, source, file, error, createdAt
        case updatedAt, queuedAt, startedAt, finishedAt, notBeforeAt, nextAttemptAt, deadlineAt, expiresAt
        case keepFileSeconds, links
        case refreshURL = "refreshUrl"
        case acceptHTML = "acceptHtml"
        case callbackURL = "callbackUrl"
        case joinedCallbackURLs = "joinedCallbackUrls"
        case webhookIDs = "webhookIds"
    }

    public init(id: String, state: String) {
        self.id = id
        self.state = state
    }

    /// Whether the state is `completed`, `failed` or `cancelled`.
    public var isEnded: Bool { ["completed", "failed", "cancelled"].contains(state) }
}

extension Download {
    /// Numbers that only grow.
    public struct Counters: Hashable, Sendable, Codable {
        /// Changes of state and configuration.
        public var revision: Int64?
        /// Counts the retries of the user, from 1.
        public var run: Int?
        /// Counts the restarts from byte 0, from 1.
        public var generation: Int?
        public var attempt: Int?
    }

    /// How it logs in; secrets are left out.
    public struct Authentication: Hashable, Sendable, Codable {
        /// `basic`, `digest` or `bearer`.
        public var scheme: String
    }

    /// What the file must be.
    public struct Expected: Hashable, Sendable, Codable {
        public var sizeBytes: Int64?
        /// Hexadecimal digests by algorithm: `sha-256`, `sha-512`, `sha-1`, `md5`.
        public var digests: [String: String]?
        /// The media type of the file.
        public var contentType: String?

        public init(sizeBytes: Int64? = nil, digests: [String: String]? = nil, contentType: String? = nil) {
            self.sizeBytes = sizeBytes
            self.digests = digests
            self.contentType = contentType
        }
    }

    public struct Limits: Hashable, Sendable, Codable {
        public var maxBytes: Int64?
        public var rateBytesPerSecond: Int64?
        public var connections: Int?

        public init(maxBytes: Int64? = nil, rateBytesPerSecond: Int64? = nil, connections: Int? = nil) {
            self.maxBytes = maxBytes
            self.rateBytesPerSecond = rateBytesPerSecond
            self.connections = connections
        }
    }

    /// In seconds; nil for the setting.
    public struct Timeouts: Hashable, Sendable, Codable {
        public var connectSeconds: Int64?
        public var silenceSeconds: Int64?
        public var giveUpSeconds: Int64?

        public init() {}
    }

    /// How failed attempts are repeated; nil for the setting.
    public struct Retry: Hashable, Sendable, Codable {
        public var delaySeconds: Int64?
        public var maxDelaySeconds: Int64?
        public var statuses: [Int]?

        public init() {}
    }

    /// Bytes and speed. The speed is nil while no transfer runs.
    public struct Progress: Hashable, Sendable, Codable {
        public var receivedBytes: Int64?
        public var totalBytes: Int64?
        public var resumedFromBytes: Int64?
        public var verifiedBytes: Int64?
        public var bytesPerSecond: Int64?
        public var etaSeconds: Int64?
        public var connections: Int?
        public var updatedAt: Date?
    }

    /// What the origin answered.
    public struct Source: Hashable, Sendable, Codable {
        public var url: String?
        public var finalURL: String?
        public var redirects: Int?
        public var httpVersion: String?
        public var httpStatus: Int?
        public var etag: String?
        public var lastModified: String?
        public var contentType: String?
        public var contentEncoding: String?
        /// What the origin says of the file, hexadecimal, by algorithm.
        public var digests: [String: String]?
        /// The URL and its mirrors.
        public var sources: [Standing]?

        /// What became of one URL.
        public struct Standing: Hashable, Sendable, Codable {
            public var url: String
            public var state: String?
            public var reason: String?
            public var receivedBytes: Int64?
        }

        enum CodingKeys: String, CodingKey, CaseIterable {
            case url, redirects, httpVersion, httpStatus, etag, lastModified, contentType, contentEncoding, digests
            case sources
            case finalURL = "finalUrl"
        }
    }

    /// The finished file.
    public struct File: Hashable, Sendable, Codable {
        /// Whether it can be fetched now.
        public var available: Bool?
        /// Relative to the downloads folder.
        public var path: String?
        public var sizeBytes: Int64?
        /// Hexadecimal digests by algorithm.
        public var digests: [String: String]?
        public var modifiedAt: Date?
        public var expiresAt: Date?
        /// When it was removed because its time was over.
        public var expiredAt: Date?
    }

    /// Why the last attempt failed.
    public struct Failure: Hashable, Sendable, Codable {
        /// A stable word, such as `file_not_found`.
        public var code: String
        /// A sentence for a person.
        public var message: String?
        /// Whether the service retries automatically.
        public var retryable: Bool?
        public var httpStatus: Int?
        /// The result code of libcurl.
        public var curlCode: Int?
        public var attempt: Int?
        public var occurredAt: Date?
    }
}
