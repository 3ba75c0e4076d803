public import Core

/// How to read and write an accepted body.
public struct AcceptedBody: Hashable, Sendable {
    /// The offset of the first new byte in the file. With 0 the part file is emptied.
    public var writeOffset: Int64
    /// How many bytes of the body to read, overlap included; nil if unknown. A longer body is cut off, a shorter one is
    /// incomplete.
    public var expectedLength: Int64?
    /// The size of the whole file, as far as it is known.
    public var total: Int64?
    /// How many bytes at the start of the body are before ``writeOffset``. If they differ from the stored ones, the
    /// download restarts (``RestartReason/overlapDiffers``).
    public var overlapToCompare: Int64
    /// What to store beside the bytes.
    public var validator: Validator
    /// Whether the end of this body can be told from a truncation. Otherwise the file's length is unverified.
    public var isLengthProvable: Bool

    public init(
        writeOffset: Int64,
        expectedLength: Int64?,
        total: Int64?,
        overlapToCompare: Int64 = 0,
        validator: Validator,
        isLengthProvable: Bool
    ) {
        self.writeOffset = writeOffset
        self.expectedLength = expectedLength
        self.total = total
        self.overlapToCompare = overlapToCompare
        self.validator = validator
        self.isLengthProvable = isLengthProvable
    }

    /// The position in the file of the body's first byte.
    public var bodyOffset: Int64 { writeOffset - overlapToCompare }
}

/// Why a response is refused and the file asked for without a range.
public enum RangeRejectionReason: String, CaseIterable, Sendable {
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
    /// The size of the file is unknown.
    case totalUnknown = "total_unknown"
    /// A 416 without new information.
    case rangeNotSatisfiable = "range_not_satisfiable"
    /// A 206 to a request without a range.
    case unrequestedPartial = "unrequested_partial"
}
