public import Core
public import HTTPFields

/// The version of a file that was downloaded before and is still there. A request for the whole file asks the origin
/// not to send this version again (RFC 9110, section 13.1).
public struct KnownVersion: Hashable, Sendable {
    /// The tag for `If-None-Match`.
    public var etag: EntityTag?
    /// The date for `If-Modified-Since`. It is strong, so that no second version has the same date.
    public var lastModified: HTTPDate?
    /// The size of the file in bytes.
    public var total: Int64

    /// The version that `validator` identifies; nil if it identifies none.
    public init?(_ validator: Validator, total: Int64) {
        var validator = validator
        validator.total = total
        etag = validator.distinctTag
        lastModified = validator.strongDate
        self.total = total
        guard etag != nil || lastModified != nil else { return nil }
    }

    /// Whether a response has this version, although it was sent: a strong tag, or without a tag the date, is equal.
    public func isSame(as validator: Validator) -> Bool {
        guard validator.total == nil || validator.total == total else { return false }
        switch validator.strength {
        case .entityTag(let tag): return tag == etag
        case .date(let date): return etag == nil && date == lastModified
        case .dateBesideWeakTag, .none: return false
        }
    }

    /// Whether an FTP or SFTP server describes this version.
    func isDescribed(by response: FileResponse) -> Bool {
        guard let lastModified, let size = response.size else { return false }
        return response.modifiedAt == lastModified && size == total
    }
}
