public import Core

/// How to read and write an accepted body.
public struct AcceptedBody: Hashable, Sendable {
    /// The offset of the first new byte in the file. If it is 0, the part file is truncated first.
    public var writeOffset: Int64
    /// The number of body bytes to read, overlap included; nil if unknown. A longer body is truncated; a shorter body
    /// is incomplete.
    public var expectedLength: Int64?
    /// The size of the whole file in bytes; nil if unknown.
    public var total: Int64?
    /// The number of bytes at the start of the body that lie before ``writeOffset``. If they differ from the stored
    /// bytes, the download restarts (``RestartReason/overlapDiffers``).
    public var overlapToCompare: Int64
    /// The validator to store with the bytes.
    public var validator: Validator
    /// Whether the end of this body can be distinguished from a truncation. If not, the file's length is unverified.
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

    /// The offset in the file of the body's first byte.
    public var bodyOffset: Int64 { writeOffset - overlapToCompare }
}

/// Why a response is refused and the file is requested without a range.
public enum RangeRejectionReason: String, CaseIterable, Sendable {
    /// `Content-Range` is missing, malformed, or in another unit.
    case badContentRange = "bad_content_range"
    /// The response to a request for a single range has several ranges.
    case multipart
    /// The range leaves a gap before it, or ends before the first new byte.
    case rangeMismatch = "range_mismatch"
    /// `Content-Length` contradicts `Content-Range`.
    case lengthMismatch = "length_mismatch"
    /// A 200 in response to a range request whose body may have only the range.
    case maybePart = "maybe_part"
    /// The size of the file is unknown.
    case totalUnknown = "total_unknown"
    /// A 416 without new information.
    case rangeNotSatisfiable = "range_not_satisfiable"
    /// A 206 to a request without a range.
    case unrequestedPartial = "unrequested_partial"
}
