public import HTTPFields

/// The parts of a response's head that the rules use.
///
/// Field values are raw: the validation parses them, and treats an unreadable one as missing or refuses it.
public struct OriginResponse: Hashable, Sendable {
    public var status: Int
    /// nil when it is missing, invalid, or above `Int64`.
    public var contentLength: Int64?
    public var contentRange: String?
    public var etag: String?
    public var lastModified: String?
    public var date: String?
    public var contentType: String?
    public var contentEncoding: String?
    public var transferEncoding: String?
    public var location: String?
    public var retryAfter: String?
    public var reprDigest: String?
    public var digest: String?
    public var contentMD5: String?
    /// The response of an FTP or SFTP server; nil for HTTP.
    public var file: FileResponse?
    /// Whether a redirect led to another host than that of the stored bytes.
    public var redirectedToNewHost: Bool
    /// When its header was complete, by this machine's clock.
    public var receivedAt: HTTPDate

    public init(status: Int, receivedAt: HTTPDate) {
        self.status = status
        self.receivedAt = receivedAt
        redirectedToNewHost = false
    }

    /// The length that the body announces. A `Content-Length` beside a `Transfer-Encoding` does not count: the coding
    /// overrides it, and the pair is suspicious (RFC 9112, 6.3).
    var announcedLength: Int64? {
        guard ContentCoding.normalized(transferEncoding) == nil, let contentLength else { return nil }
        return contentLength >= 0 ? contentLength : nil
    }

    /// Whether a truncated body can be told from a complete one (RFC 9112, 8).
    ///
    /// HTTP/2 marks every end, but libcurl reports a stream that was reset without an error as ended.
    var isEndProvable: Bool { announcedLength != nil || isChunked }

    /// Whether chunks mark the end of the body (RFC 9112, 7.1).
    public var isChunked: Bool { ContentCoding.endsInChunked(transferEncoding) }

    public var mediaType: MediaType? { contentType.flatMap(MediaType.init) }

    var entityTag: EntityTag? { etag.flatMap(EntityTag.init) }

    var parsedLastModified: HTTPDate? { lastModified.flatMap { HTTPDate($0, now: receivedAt) } }

    var parsedDate: HTTPDate? { date.flatMap { HTTPDate($0, now: receivedAt) } }

    var parsedRetryAfter: RetryAfter? {
        retryAfter.flatMap { RetryAfter($0, responseDate: parsedDate, now: receivedAt) }
    }
}

/// The request that a response answers.
public struct SentRequest: Hashable, Sendable {
    /// The range that it named; nil for a plain GET.
    public var range: RequestedRange?
    /// 0 for the first segment, which is also that of a download in one stream.
    public var segmentIndex: Int
    /// It repeats, without a range, a request whose answer was refused.
    public var isRepeatWithoutRange: Bool

    public init(
        range: RequestedRange? = nil,
        segmentIndex: Int = 0,
        isRepeatWithoutRange: Bool = false
    ) {
        self.range = range
        self.segmentIndex = segmentIndex
        self.isRepeatWithoutRange = isRepeatWithoutRange
    }

    /// The request of a plan; nil if the plan needs none.
    public init?(_ plan: ResumePlan, segmentIndex: Int = 0) {
        switch plan {
        case .plain: self.init(segmentIndex: segmentIndex)
        case .range(let first, let last, let condition):
            self.init(range: RequestedRange(first: first, last: last, condition: condition), segmentIndex: segmentIndex)
        case .complete: return nil
        }
    }
}

/// A range as it was asked for.
public struct RequestedRange: Hashable, Sendable {
    public var first: Int64
    /// nil for an open end.
    public var last: Int64?
    public var condition: RangeCondition

    public init(first: Int64, last: Int64?, condition: RangeCondition) {
        self.first = first
        self.last = last
        self.condition = condition
    }

    /// Where the first new byte goes.
    public var writeOffset: Int64 { first + condition.overlap }

    /// Whether a 412 answers it.
    var isConditional: Bool {
        switch condition {
        case .ifRange, .ifRangeDate, .ifUnmodifiedSince: true
        case .none: false
        }
    }
}

extension OriginResponse {
    /// The digests of the whole file. For a partial response only `Repr-Digest` is certain to be one: `Content-MD5` is
    /// of the part, and `Digest` was understood in both ways.
    public var digests: [Digest] {
        let digests = reprDigest.map(Digest.all(reprDigest:)) ?? []
        guard status != 206 else { return digests }
        return
            digests
            .filled(from: digest.map(Digest.all(digest:)) ?? [])
            .filled(from: contentMD5.flatMap(Digest.init(contentMD5:)).map { [$0] } ?? [])
    }
}
