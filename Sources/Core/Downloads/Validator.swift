public import HTTPFields

/// The validators of one version of a file. They are stored with the bytes and compared with each response whose bytes
/// are appended.
public struct Validator: Hashable, Sendable {
    public var etag: EntityTag?
    public var lastModified: HTTPDate?
    /// Whether the date was at least 60 seconds old when it was sent, so that no second version can have the same date.
    /// RFC 9110, 8.8.2.2, requires one second; browsers use sixty, because the clocks of mirrors differ.
    public var isLastModifiedStrong: Bool
    /// The size of the whole file in bytes; nil if the origin did not state it.
    public var total: Int64?
    /// The `Content-Encoding` in lower case; nil for none. The encoded bytes are stored as the file.
    public var contentEncoding: String?
    /// The media type without parameters.
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
        /// A strong tag. Equal tags mean equal bytes.
        case entityTag(EntityTag)
        /// A strong date without a tag.
        case date(HTTPDate)
        /// A strong date and a weak tag.
        case dateBesideWeakTag(HTTPDate)
        case none
    }

    /// The tag; nil if it is made of a date that every version of the file may have (``ConstantDate``).
    public var distinctTag: EntityTag? {
        etag.flatMap { ConstantDate.isEncoded(in: $0, size: total, stated: lastModified) ? nil : $0 }
    }

    /// The date if it is strong and no date that every version of the file may have (``ConstantDate``).
    public var strongDate: HTTPDate? {
        guard isLastModifiedStrong else { return nil }
        return lastModified.flatMap { ConstantDate.contains($0) ? nil : $0 }
    }

    /// Whether both forms of `If-Range` can guard a range.
    public var hasBothForms: Bool {
        guard let distinctTag, strongDate != nil else { return false }
        return !distinctTag.isWeak
    }

    public var strength: Strength {
        if let distinctTag, !distinctTag.isWeak { return .entityTag(distinctTag) }
        guard let strongDate else { return .none }
        return etag == nil ? .date(strongDate) : .dateBesideWeakTag(strongDate)
    }
}
