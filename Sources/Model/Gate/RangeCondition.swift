/// What guards a range against bytes of another version.
public enum RangeCondition: Hashable, Sendable {
    /// `If-Range` with a strong tag: a changed file comes whole.
    case ifRange(EntityTag)
    /// `If-Range` with a strong date; allowed only where there is no tag (RFC 9110, 13.1.5).
    case ifRangeDate(HTTPDate)
    /// `If-Unmodified-Since`: a changed file is a 412 (RFC 9110, 13.1.4).
    case ifUnmodifiedSince(HTTPDate)
    /// No condition. The range begins `overlap` bytes early, and these are compared with the ones at hand.
    case none(overlap: Int64)

    /// Bytes asked for although they are there.
    public var overlap: Int64 {
        switch self {
        case .ifRange, .ifRangeDate, .ifUnmodifiedSince: 0
        case .none(let overlap): overlap
        }
    }
}
