/// The bytes that were written, but not known to be durable, when a flush of the part file began.
public struct FlushSnapshot: Hashable, Sendable {
    /// Ascending, apart from each other, none empty.
    public let ranges: [Range<Int64>]

    public var isEmpty: Bool { ranges.isEmpty }
    public var byteCount: Int64 { ranges.reduce(0) { $0 + $1.upperBound - $1.lowerBound } }
}
