import FoundationEssentials

/// The JSON of the file that `cormorant get` keeps beside an unfinished download.
///
/// It holds no header and no user information: those are given again by the command that goes on.
public struct GetRecord: Codable, Hashable, Sendable {
    /// Counts incompatible changes of this type.
    public static let currentVersion = 1

    public var version = Self.currentVersion
    public var id: String
    public var url: String
    public var generation: Int
    public var totalBytes: Int64?
    public var segments: [SegmentRecord]
    public var source: SourceRecord
    public var hostRefusesRanges: Bool
    /// Set while the finished file is on its way to its place.
    public var file: FileRecord?

    public init(
        id: String,
        url: String,
        generation: Int,
        totalBytes: Int64? = nil,
        segments: [SegmentRecord],
        source: SourceRecord,
        hostRefusesRanges: Bool,
        file: FileRecord? = nil
    ) {
        self.id = id
        self.url = url
        self.generation = generation
        self.totalBytes = totalBytes
        self.segments = segments
        self.source = source
        self.hostRefusesRanges = hostRefusesRanges
        self.file = file
    }

    enum CodingKeys: String, CodingKey {
        case version, id, url, generation, segments, source, file
        case totalBytes = "total_bytes"
        case hostRefusesRanges = "host_refuses_ranges"
    }

    public struct SegmentRecord: Codable, Hashable, Sendable {
        public var start: Int64
        public var end: Int64?
        public var durableEnd: Int64

        public init(
            start: Int64,
            end: Int64? = nil,
            durableEnd: Int64
        ) {
            self.start = start
            self.end = end
            self.durableEnd = durableEnd
        }

        enum CodingKeys: String, CodingKey {
            case start, end
            case durableEnd = "durable_end"
        }
    }

    public struct SourceRecord: Codable, Hashable, Sendable {
        public var finalURL: String?
        public var status: Int?
        public var etag: String?
        public var lastModified: String?
        public var isLastModifiedStrong: Bool
        public var contentType: String?
        public var contentEncoding: String?
        public var suggestedName: String?

        public init(
            finalURL: String? = nil,
            status: Int? = nil,
            etag: String? = nil,
            lastModified: String? = nil,
            isLastModifiedStrong: Bool,
            contentType: String? = nil,
            contentEncoding: String? = nil,
            suggestedName: String? = nil
        ) {
            self.finalURL = finalURL
            self.status = status
            self.etag = etag
            self.lastModified = lastModified
            self.isLastModifiedStrong = isLastModifiedStrong
            self.contentType = contentType
            self.contentEncoding = contentEncoding
            self.suggestedName = suggestedName
        }

        enum CodingKeys: String, CodingKey {
            case status, etag
            case finalURL = "final_url"
            case lastModified = "last_modified"
            case isLastModifiedStrong = "is_last_modified_strong"
            case contentType = "content_type"
            case contentEncoding = "content_encoding"
            case suggestedName = "suggested_name"
        }
    }

    public struct FileRecord: Codable, Hashable, Sendable {
        public var path: String
        public var sizeBytes: Int64
        public var digests: [String]
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
    /// The record as it is written.
    public func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }

    /// Reads a record; nil for anything that is not one of this version.
    public init?(json: [UInt8]) {
        guard let record = try? JSONDecoder().decode(Self.self, from: Data(json)) else { return nil }
        guard record.version == Self.currentVersion else { return nil }
        self = record
    }
}
