/// The digest of a range of a part file when it was written: a whole block of the file, or the written part of a block.
public struct BlockDigest: Hashable, Sendable {
    /// The block size in bytes. A block begins and ends at multiples of it.
    public static let blockBytes: Int64 = 4 << 20

    /// The offset of the first byte in the file.
    public let start: Int64
    /// One past the last byte.
    public let end: Int64
    /// The ``XXH64`` digest of the bytes.
    public let value: UInt64

    public init(start: Int64, end: Int64, value: UInt64) {
        self.start = start
        self.end = end
        self.value = value
    }

    /// The range of the bytes; empty if the ends are in the wrong order, as they may be in a damaged row.
    public var range: Range<Int64> { start..<max(start, end) }
}
