import FoundationEssentials

/// The JSON of the state file that `cormorant get` keeps beside an unfinished download.
///
/// It contains no request header fields and no user information: the resuming command must provide them again.
public struct GetRecord: Codable, Hashable, Sendable {
    /// The format version. Increased by each incompatible change of this type.
    public static let currentVersion = 1

    public var version = Self.currentVersion
    /// The download's id, which is part of the part file's name.
    public var id: String
    /// The URL without user information.
    public var url: String
    /// The number of the part file. A restart from byte 0 increments it.
    public var generation: Int
    /// The size of the file; nil if the origin has not stated it.
    public var totalBytes: Int64?
    /// The segments of the file, in order.
    public var segments: [SegmentRecord]
    /// The origin's metadata of the stored bytes.
    public var source: SourceRecord
    /// Whether the host has ignored a range and sent the whole file.
    public var hostRefusesRanges: Bool
    /// The number of complete files with a wrong digest; nil for none.
    public var mismatches: Int?
    /// Set while the file is being published.
    public var file: FileRecord?

    public init(
        id: String,
        url: String,
        generation: Int,
        segments: [SegmentRecord],
        source: SourceRecord,
        hostRefusesRanges: Bool
    ) {
        self.id = id
        self.url = url
        self.generation = generation
        self.segments = segments
        self.source = source
        self.hostRefusesRanges = hostRefusesRanges
    }

    enum CodingKeys: String, CodingKey {
        case version, id, url, generation, segments, source, mismatches, file
        case totalBytes = "total_bytes"
        case hostRefusesRanges = "host_refuses_ranges"
    }

    /// A segment of the file, and its durable bytes.
    public struct SegmentRecord: Codable, Hashable, Sendable {
        /// The offset of its first byte.
        public var start: Int64
        /// The offset after its last byte; nil if the size is unknown.
        public var end: Int64?
        /// The offset after the last durable byte.
        public var durableEnd: Int64

        public init(start: Int64, end: Int64? = nil, durableEnd: Int64) {
            self.start = start
            self.end = end
            self.durableEnd = durableEnd
        }

        enum CodingKeys: String, CodingKey {
            case start, end
            case durableEnd = "durable_end"
        }
    }

    /// The origin's metadata of the file, with header fields as received.
    public struct SourceRecord: Codable, Hashable, Sendable {
        /// The URL after redirects, without user information.
        public var finalURL: String?
        public var status: Int?
        public var etag: String?
        public var lastModified: String?
        /// Whether `Last-Modified` can serve as a strong validator (RFC 9110, section 8.8.2.2).
        public var isLastModifiedStrong: Bool
        public var contentType: String?
        public var contentEncoding: String?
        /// The sanitised file name that the origin proposes.
        public var suggestedName: String?
        /// The digests that the origin states, each as `<algorithm>=<hexadecimal>`; nil for none.
        public var digests: [String]?
        /// The URL that the response came from.
        public var url: String?
        /// Additional URLs that the origin names; nil for none.
        public var mirrors: [String]?
        /// Whether digests and mirrors come from a Metalink document; nil means no.
        public var isMetalink: Bool?

        public init(isLastModifiedStrong: Bool) {
            self.isLastModifiedStrong = isLastModifiedStrong
        }

        enum CodingKeys: String, CodingKey {
            case status, etag, digests, url, mirrors
            case isMetalink = "is_metalink"
            case finalURL = "final_url"
            case lastModified = "last_modified"
            case isLastModifiedStrong = "is_last_modified_strong"
            case contentType = "content_type"
            case contentEncoding = "content_encoding"
            case suggestedName = "suggested_name"
        }
    }

    /// The finished file, recorded before it is moved to its final path.
    public struct FileRecord: Codable, Hashable, Sendable {
        /// The path relative to the folder of the command.
        public var path: String
        public var sizeBytes: Int64
        /// The digests, each as `<algorithm>=<hexadecimal>`.
        public var digests: [String]
        /// The device and inode of the file (`inode(7)`), which a rename preserves.
        public var device: UInt64
        public var inode: UInt64

        public init(
            path: String,
            sizeBytes: Int64,
            digests: [String],
            device: UInt64,
            inode: UInt64
        ) {
            self.path = path
            self.sizeBytes = sizeBytes
            self.digests = digests
            self.device = device
            self.inode = inode
        }

        enum CodingKeys: String, CodingKey {
            case path, digests, device, inode
            case sizeBytes = "size_bytes"
        }
    }
}

extension GetRecord {
    /// The record as JSON.
    public func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }

    /// Parses a record; nil if it is invalid or has another version.
    public init?(json: [UInt8]) {
        guard let record = try? JSONDecoder().decode(Self.self, from: Data(json)) else { return nil }
        guard record.version == Self.currentVersion else { return nil }
        self = record
    }
}
