/// Some bytes of a file, both ends included.
public struct ByteRange: Hashable, Sendable {
    public let first: Int64
    public let last: Int64

    /// `last` must not come before `first`, nor `first` be negative.
    public init(first: Int64, last: Int64) {
        precondition(first >= 0 && first <= last && last < .max)
        self.first = first
        self.last = last
    }

    /// In bytes; never zero.
    public var length: Int64 { last - first + 1 }
}
