public import HTTPFields

/// The parts of a response header that the rules use.
///
/// Field values are unparsed. The validation treats an invalid one as missing or refuses it.
public struct OriginResponse: Hashable, Sendable {
    public var status: Int
    /// nil if the field is missing, invalid, or above `Int64.max`.
    public var contentLength: Int64?
    public var contentRange: String?
    public var etag: String?
    public var lastModified: String?
    public var date: String?
    public var contentType: String?
    public var contentEncoding: String?
    public var contentDisposition: String?
    public var transferEncoding: String?
    public var location: String?
    public var retryAfter: String?
    /// The values of `WWW-Authenticate` (RFC 9110, 11.6.1).
    public var challenges: [String] = []
    public var reprDigest: String?
    public var digest: String?
    public var contentMD5: String?
    /// The response of an FTP or SFTP server; nil for HTTP.
    public var file: FileResponse?
    /// Whether a redirect led to a host other than that of the stored bytes.
    public var redirectedToNewHost: Bool
    /// When the header was complete, by this machine's clock.
    public var receivedAt: HTTPDate

    public init(status: Int, receivedAt: HTTPDate) {
        self.status = status
        self.receivedAt = receivedAt
        redirectedToNewHost = false
    }

    /// The announced length of the body. A `Content-Length` together with a `Transfer-Encoding` is ignored: the coding
    /// overrides it, and such a response is suspicious (RFC 9112, 6.3).
    var announcedLength: Int64? {
        guard ContentCoding.normalized(transferEncoding) == nil, let contentLength else { return nil }
        return contentLength >= 0 ? contentLength : nil
    }

    /// Whether a truncated body can be distinguished from a complete one (RFC 9112, 8).
    ///
    /// HTTP/2 always marks the end, but libcurl reports a stream that was reset without an error as complete.
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

extension OriginResponse {
    /// The digests of the whole file. In a partial response only `Repr-Digest` certainly covers the whole file:
    /// `Content-MD5` covers the part, and servers interpreted `Digest` in both ways.
    public var digests: [Digest] {
        let digests = reprDigest.map(Digest.all(reprDigest:)) ?? []
        guard status != 206 else { return digests }
        return
            digests
            .filled(from: digest.map(Digest.all(digest:)) ?? [])
            .filled(from: contentMD5.flatMap(Digest.init(contentMD5:)).map { [$0] } ?? [])
    }
}
