import FoundationEssentials
import Model

/// The JSON of a state file.
///
/// It holds no header and no user information: those are given again by the command that goes on.
struct GetRecord: Codable, Hashable, Sendable {
    /// Counts incompatible changes of this type.
    static let currentVersion = 1

    var version = Self.currentVersion
    var id: String
    var url: String
    var generation: Int
    var totalBytes: Int64?
    var segments: [SegmentRecord]
    var source: SourceRecord
    var hostRefusesRanges: Bool
    /// Set while the finished file is on its way to its place.
    var file: FileRecord?

    enum CodingKeys: String, CodingKey {
        case version, id, url, generation, segments, source, file
        case totalBytes = "total_bytes"
        case hostRefusesRanges = "host_refuses_ranges"
    }

    struct SegmentRecord: Codable, Hashable, Sendable {
        var start: Int64
        var end: Int64?
        var durableEnd: Int64

        enum CodingKeys: String, CodingKey {
            case start, end
            case durableEnd = "durable_end"
        }
    }

    struct SourceRecord: Codable, Hashable, Sendable {
        var finalURL: String?
        var status: Int?
        var etag: String?
        var lastModified: String?
        var isLastModifiedStrong: Bool
        var contentType: String?
        var contentEncoding: String?
        var suggestedName: String?

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

    struct FileRecord: Codable, Hashable, Sendable {
        var path: String
        var sizeBytes: Int64
        var digests: [String]
        var device: UInt64
        var inode: UInt64

        enum CodingKeys: String, CodingKey {
            case path, digests, device, inode
            case sizeBytes = "size_bytes"
        }
    }
}

extension GetRecord {
    /// The record as it is written.
    func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }

    /// Reads a record; nil for anything that is not one of this version.
    init?(json: [UInt8]) {
        guard let record = try? JSONDecoder().decode(Self.self, from: Data(json)) else { return nil }
        guard record.version == Self.currentVersion else { return nil }
        self = record
    }
}
