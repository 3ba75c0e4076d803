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
    /// A download to create. Members that are nil have the service's defaults.
    public struct Request: Hashable, Sendable, Encodable {
        /// An absolute URL of a scheme that the service speaks.
        public var url: String
        /// Further URLs of the same file.
        public var mirrors: [String]?
        /// Gives another URL for the file once this one has expired.
        public var refreshURL: String?
        /// The root of the file; nil for the setting `downloads_dir`.
        public var root: String?
        /// The folder below the downloads folder.
        public var directory: String?
        public var filename: String?
        /// `rename`, `overwrite` or `fail`.
        public var onConflict: String?
        public var session: String?
        /// Header fields for the origin. They are stored encrypted.
        public var requestHeaders: [String: String]?
        public var authentication: Authentication?
        public var cookies: [String: String]?
        /// `GET` or `POST`.
        public var method: String?
        /// Nil for none.
        public var body: Body?
        public var proxy: String?
        public var expected: Expected?
        public var limits: Limits?
        public var maxAttempts: Int?
        public var timeouts: Timeouts?
        public var retry: Retry?
        /// -100 to 100; higher first.
        public var priority: Int?
        /// The download does not start before this instant.
        public var notBeforeAt: Date?
        /// The download fails if it has not ended by then.
        public var deadlineAt: Date?
        /// When the finished file is removed. Not together with ``keepFileSeconds``.
        public var expiresAt: Date?
        /// How long the finished file is kept.
        public var keepFileSeconds: FileRetention?
        /// False creates it paused.
        public var start: Bool?
        public var labels: [String: String]?
        public var description: String?
        public var metadata: JSONValue?
        /// Joins the download that has this key.
        public var dedupeKey: String?
        public var webhookIDs: [String]?
        /// Receives the events of the download.
        public var callbackURL: String?
        /// `follow` or `keep`: how a Metalink document is used.
        public var metalink: String?
        public var acceptUnverifiedLength: Bool?
        /// Whether a web page is accepted in place of a file.
        public var acceptHTML: Bool?
        /// Whether the file gets the modification time that the origin states; nil for the setting.
        public var preserveMtime: Bool?

        public init(url: String) { self.url = url }

        /// The JSON that is sent.
        public func json() throws(ClientError) -> String {
            String(decoding: try ClientJSON.encode(self), as: UTF8.self)
        }

        enum CodingKeys: String, CodingKey, CaseIterable {
            case url, mirrors, directory, filename, onConflict, session, requestHeaders, authentication, cookies, proxy
            case expected, limits, maxAttempts, priority, notBeforeAt, deadlineAt, start, labels, description, metadata
            case dedupeKey, metalink, acceptUnverifiedLength, refreshURL, root, method, body, timeouts, retry, expiresAt
            case keepFileSeconds, callbackURL, acceptHTML, preserveMtime
            case webhookIDs = "webhookIds"
        }
    }

    /// What a `PATCH` changes of a download. Properties that are nil stay as they are; `clear` restores the default.
    public struct Patch: Hashable, Sendable, Encodable {
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
        public var authentication: Change<Request.Authentication>?
        /// By name. Those that are not named stay.
        public var cookies: Change<[String: Change<String>]>?
        /// `GET` or `POST`.
        public var method: String?
        public var body: Change<Request.Body>?
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
    }
}
