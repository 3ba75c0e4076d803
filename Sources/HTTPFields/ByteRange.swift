/// A range of bytes of a file. It includes both ends.
public struct ByteRange: Hashable, Sendable {
    public let first: Int64
    public let last: Int64

    /// - Precondition: `0 <= first <= last < Int64.max`.
    public init(first: Int64, last: Int64) {
        precondition(first >= 0 && first <= last && last < .max)
        self.first = first
        self.last = last
    }

    /// The number of bytes; never zero.
    public var length: Int64 { last - first + 1 }
}
