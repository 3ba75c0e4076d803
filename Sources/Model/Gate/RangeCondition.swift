/// What guards a range against bytes of another version.
public enum RangeCondition: Hashable, Sendable {
    /// `If-Range` with a strong tag: a changed file comes whole.
    case ifRange(EntityTag)
    /// `If-Range` with a strong date: where there is no tag (RFC 9110, 13.1.5), or the host ignores tags
    /// (docs/decisions/0024).
    case ifRangeDate(HTTPDate)
    /// `If-Unmodified-Since`: a changed file is a 412 (RFC 9110, 13.1.4).
    case ifUnmodifiedSince(HTTPDate)
    /// No condition. The range begins `overlap` bytes early, and these are compared with the ones at hand: the digest
    /// of the whole file decides in the end.
    case none(overlap: Int64)

    /// The form of `If-Range`; nil where the request has none.
    public var ifRangeForm: IfRangeForm? {
        switch self {
        case .ifRange: .tag
        case .ifRangeDate: .date
        case .ifUnmodifiedSince, .none: nil
        }
    }

    /// Bytes asked for although they are there.
    public var overlap: Int64 {
        switch self {
        case .ifRange, .ifRangeDate, .ifUnmodifiedSince: 0
        case .none(let overlap): overlap
        }
    }
}
