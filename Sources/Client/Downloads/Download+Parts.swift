public import FoundationEssentials

/// The members of a download that are objects.
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
