/// What a probe found. Nothing is stored.
public struct ProbeReport: Hashable, Sendable, Decodable {
    public struct Failure: Hashable, Sendable, Decodable {
        public var code: String
        public var message: String?
        public var httpStatus: Int?
    }

    /// The name that the file would have.
    public var name: String?
    public var sizeBytes: Int64?
    public var contentType: String?
    public var contentEncoding: String?
    /// `yes`, `no` or nil if the origin did not say.
    public var ranges: String?
    public var etag: String?
    public var lastModified: String?
    /// What the origin says of the file, hexadecimal, by algorithm.
    public var digests: [String: String]?
    public var finalURL: String?
    public var redirects: Int?
    public var httpStatus: Int?
    public var httpVersion: String?
    public var remoteAddress: String?
    /// Why a download would fail now; nil if it would not.
    public var error: Failure?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, sizeBytes, contentType, contentEncoding, ranges, etag, lastModified, digests, redirects, httpStatus
        case httpVersion, remoteAddress, error
        case finalURL = "finalUrl"
    }
}
