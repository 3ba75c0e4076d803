public import Core

/// How an accepted body is to be read and written.
public struct AcceptedBody: Hashable, Sendable {
    /// Where the first new byte goes in the file. With 0 the file begins anew: whatever it holds is cut off.
    public var writeOffset: Int64
    /// How many bytes of the body to take, overlap included; nil when they are not known beforehand. A body that goes
    /// on after them is cut off, one that ends before them is incomplete.
    public var expectedLength: Int64?
    /// The size of the whole file, as far as it is known.
    public var total: Int64?
    /// How many bytes at the start of the body lie before ``writeOffset``. They must equal those at hand; if they do
    /// not, the download restarts (``RestartReason/overlapDiffers``).
    public var overlapToCompare: Int64
    /// What to store beside the bytes.
    public var validator: Validator
    /// The end of this body can be told from a cut. When false, the file's length is unverified.
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
    /// Neither the response nor anything before tells the size of the file.
    case totalUnknown = "total_unknown"
    /// A 416 that tells nothing, or nothing new.
    case rangeNotSatisfiable = "range_not_satisfiable"
    /// A 206 that nobody asked for.
    case unrequestedPartial = "unrequested_partial"
}
