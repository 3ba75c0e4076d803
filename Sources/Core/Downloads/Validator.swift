public import HTTPFields

/// What identifies one version of a file: stored with the bytes, and compared with every response whose bytes are added
/// to them.
public struct Validator: Hashable, Sendable {
    public var etag: EntityTag?
    public var lastModified: HTTPDate?
    /// The date was at least 60 seconds old when it was sent, so that no second version can carry the same one. The
    /// RFC asks for one second (9110, 8.8.2.2); browsers use sixty, as clocks of mirrors differ.
    public var isLastModifiedStrong: Bool
    /// The size of the whole file in bytes; nil if the origin did not state it.
    public var total: Int64?
    /// The `Content-Encoding`, in lower case; nil for none. The encoded bytes are the file.
    public var contentEncoding: String?
    /// The media type's essence.
    public var contentType: String?

    public init(
        etag: EntityTag? = nil,
        lastModified: HTTPDate? = nil,
        isLastModifiedStrong: Bool = false,
        total: Int64? = nil,
        contentEncoding: String? = nil,
        contentType: String? = nil
    ) {
        self.etag = etag
        self.lastModified = lastModified
        self.isLastModifiedStrong = isLastModifiedStrong
        self.total = total
        self.contentEncoding = contentEncoding
        self.contentType = contentType
    }

    /// How reliably bytes of two responses can be combined.
    public enum Strength: Hashable, Sendable {
        /// Equal tags mean equal bytes.
        case entityTag(EntityTag)
        /// There is no tag, and the date is strong.
        case date(HTTPDate)
        /// There is a tag, but a weak one, beside a strong date.
        case dateBesideWeakTag(HTTPDate)
        case none
    }

    /// Whether both forms of `If-Range` could guard a range.
    public var hasBothForms: Bool {
        guard let etag, lastModified != nil else { return false }
        return !etag.isWeak && isLastModifiedStrong
    }

    public var strength: Strength {
        if let etag, !etag.isWeak { return .entityTag(etag) }
        guard let lastModified, isLastModifiedStrong else { return .none }
        return etag == nil ? .date(lastModified) : .dateBesideWeakTag(lastModified)
    }
}
