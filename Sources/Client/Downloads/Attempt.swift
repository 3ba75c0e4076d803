public import FoundationEssentials

/// A request that a worker made for a download.
public struct Attempt: Hashable, Sendable, Decodable {
    public var number: Int
    public var run: Int?
    public var attempt: Int?
    public var startedAt: Date?
    public var method: String?
    public var url: String?
    public var redirects: Int?
    /// The bytes that were requested; nil for all.
    public var range: ByteRange?
    public var httpStatus: Int?
    public var httpVersion: String?
    public var etag: String?
    public var lastModified: String?
    public var contentRange: String?
    public var contentLength: Int64?
    public var remoteAddress: String?
    /// What the service decided about the answer.
    public var decision: String?
    /// Why, as a sentence.
    public var reason: String?
    public var receivedBytes: Int64?
    public var durationMs: Int64?
    public var error: String?
    /// The result code of libcurl.
    public var curlCode: Int?

    /// Both ends are inclusive; nil for the end of the file.
    public struct ByteRange: Hashable, Sendable, Decodable {
        public var first: Int64
        public var last: Int64?
    }
}
