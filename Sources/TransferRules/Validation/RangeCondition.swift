import Core
public import HTTPFields

/// The condition that guards a range against bytes of another version.
public enum RangeCondition: Hashable, Sendable {
    /// `If-Range` with a strong tag: if the file has changed, the whole file is sent.
    case ifRange(EntityTag)
    /// `If-Range` with a strong date, if there is no tag (RFC 9110, 13.1.5) or the host ignores tags
    /// (docs/decisions/0024).
    case ifRangeDate(HTTPDate)
    /// `If-Unmodified-Since`: if the file has changed, the response is a 412 (RFC 9110, 13.1.4).
    case ifUnmodifiedSince(HTTPDate)
    /// No condition. The range begins `overlap` bytes earlier, and these bytes are compared with the stored ones. At
    /// the end the digest of the whole file decides.
    case none(overlap: Int64)

    /// The form of `If-Range`; nil if the request has none.
    public var ifRangeForm: IfRangeForm? {
        switch self {
        case .ifRange: .tag
        case .ifRangeDate: .date
        case .ifUnmodifiedSince, .none: nil
        }
    }

    /// The number of bytes that are requested although they are stored.
    public var overlap: Int64 {
        switch self {
        case .ifRange, .ifRangeDate, .ifUnmodifiedSince: 0
        case .none(let overlap): overlap
        }
    }
}
