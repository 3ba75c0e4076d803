/// Why a response is refused and the file asked for without a range.
public enum AskPlainReason: String, CaseIterable, Sendable {
    /// `Content-Range` is missing, malformed, or in another unit.
    case badContentRange = "bad_content_range"
    /// Several ranges answer a single one.
    case multipart
    /// The range leaves a gap before it, or ends before it begins to be useful.
    case rangeMismatch = "range_mismatch"
    /// `Content-Length` contradicts `Content-Range`.
    case lengthMismatch = "length_mismatch"
    /// A 200 in answer to a range that may hold the range alone.
    case maybePart = "maybe_part"
    /// Neither the response nor anything before tells the size of the file.
    case totalUnknown = "total_unknown"
    /// A 416 that tells nothing, or nothing new.
    case rangeNotSatisfiable = "range_not_satisfiable"
    /// A 206 that nobody asked for.
    case unrequestedPartial = "unrequested_partial"
}
