public import FoundationEssentials

/// A download to create. Members that are nil have the service's defaults.
public struct NewDownload: Hashable, Sendable, Encodable {
    /// The credentials for the origin of the URL.
    public struct Authentication: Hashable, Sendable, Encodable {
        /// `basic`, `digest` or `bearer`.
        public var scheme: String
        public var username: String?
        public var password: String?
        public var token: String?

        public init(scheme: String, username: String? = nil, password: String? = nil, token: String? = nil) {
            self.scheme = scheme
            self.username = username
            self.password = password
            self.token = token
        }
    }

    /// The body of the request to the origin, at most 64 KiB.
    public enum Body: Hashable, Sendable, Encodable {
        case text(String)
        /// In base 64.
        case base64(String)

        enum CodingKeys: CodingKey { case text, base64 }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            switch self {
            case .text(let text): try container.encode(text, forKey: .text)
            case .base64(let text): try container.encode(text, forKey: .base64)
            }
        }
    }

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
    public var expected: Download.Expected?
    public var limits: Download.Limits?
    public var maxAttempts: Int?
    public var timeouts: Download.Timeouts?
    public var retry: Download.Retry?
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
    public func json() throws(ClientError) -> String { String(decoding: try ClientJSON.encode(self), as: UTF8.self) }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case url, mirrors, directory, filename, onConflict, session, requestHeaders, authentication, cookies, proxy
        case expected, limits, maxAttempts, priority, notBeforeAt, deadlineAt, start, labels, description, metadata
        case dedupeKey, metalink, acceptUnverifiedLength, refreshURL, root, method, body, timeouts, retry, expiresAt
        case keepFileSeconds, callbackURL, acceptHTML, preserveMtime
        case webhookIDs = "webhookIds"
    }
}

/// The result of one item of a batch.
public struct BatchResult: Hashable, Sendable, Decodable {
    /// The place of the item in the batch, from 0.
    public var index: Int
    /// What `POST /downloads` would have answered: 201 for a new download, 200 for one that existed.
    public var httpStatus: Int
    /// Nil if there is a problem.
    public var download: Created?
    public var problem: Problem?

    /// The members of a created download that are read from the answer, which may have a thousand.
    public struct Created: Hashable, Sendable, Decodable {
        public var id: String
        public var state: String
        public var name: String?
    }
}
