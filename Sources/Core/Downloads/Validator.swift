public import HTTPFields
public import TransferRules

/// What tells one version of a file from another: kept with the bytes, and compared with every response that is to
/// be added to them.
public struct Validator: Hashable, Sendable {
    public var etag: EntityTag?
    public var lastModified: HTTPDate?
    /// The date was at least 60 seconds old when it was sent, so that no second version can carry the same one. The
    /// RFC asks for one second (9110, 8.8.2.2); browsers use sixty, as clocks of mirrors differ.
    public var isLastModifiedStrong: Bool
    /// The size of the whole file in bytes, as far as the origin told it.
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

    /// The least age of a date that counts as strong.
    public static let strongDateAgeSeconds: Int64 = 60

    /// Reads the validator of a response that carries `total` bytes of a file in all.
    public init(_ response: OriginResponse, total: Int64?) {
        let lastModified = response.parsedLastModified
        let age = lastModified.flatMap { modified in response.parsedDate?.seconds(since: modified) }
        self.init(
            etag: response.entityTag,
            lastModified: lastModified,
            isLastModifiedStrong: age.map { $0 >= Self.strongDateAgeSeconds } ?? false,
            total: total,
            contentEncoding: ContentCoding.normalized(response.contentEncoding),
            contentType: response.mediaType?.essence
        )
    }

    /// What may be relied on when bytes of two responses are to be combined.
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

extension Validator {
    /// The first thing in which a whole response differs from what was stored, or nil when both surely are the same
    /// version: with nothing strong to compare they are not.
    func difference(from other: Validator) -> RestartReason? {
        if contentEncoding != other.contentEncoding { return .encodingChanged }
        if let total, let otherTotal = other.total, total != otherTotal { return .totalChanged }
        if etag != other.etag { return other.etag == nil ? .validatorMissing : .etagChanged }
        switch strength {
        case .entityTag: return nil
        case .date(let date), .dateBesideWeakTag(let date):
            guard let otherDate = other.lastModified else { return .validatorMissing }
            return date == otherDate ? nil : .lastModifiedChanged
        case .none: return .validatorMissing
        }
    }
}
