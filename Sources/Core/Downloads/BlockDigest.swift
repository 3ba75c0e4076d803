/// The digest of a stretch of a part file when it was written: a whole block of the file, or the written part of one.
public struct BlockDigest: Hashable, Sendable {
    /// A block never crosses a multiple of this, in bytes.
    public static let blockBytes: Int64 = 4 << 20

    /// The first byte, counted from the file's start.
    public let start: Int64
    /// One past the last byte.
    public let end: Int64
    /// Their ``XXH64``.
    public let value: UInt64

    public init(start: Int64, end: Int64, value: UInt64) {
        self.start = start
        self.end = end
        self.value = value
    }

    /// The bytes; empty if the ends are in the wrong order, as a damaged row may have them.
    public var range: Range<Int64> { start..<max(start, end) }
}

/// Computes digests of contiguous writes: of completed blocks, and of the current one as far as it is written.
public struct BlockRun: Hashable, Sendable {
    private let blockBytes: Int64
    private var start: Int64
    private var hash = XXH64()
    /// One past the last byte that was appended.
    public private(set) var end: Int64

    /// - Parameter blockBytes: At least 1.
    public init(from position: Int64, blockBytes: Int64 = BlockDigest.blockBytes) {
        precondition(blockBytes > 0 && position >= 0)
        self.blockBytes = blockBytes
        start = position
        end = position
    }

    /// Appends the next bytes.
    ///
    /// - Returns: The digests that are new or reach further now, ascending.
    public mutating func update(_ bytes: RawSpan) -> [BlockDigest] {
        var digests: [BlockDigest] = []
        var rest = bytes
        while !rest.isEmpty {
            if end > start, end % blockBytes == 0 {
                start = end
                hash = XXH64()
            }
            let count = Int(min(Int64(rest.byteCount), blockBytes - end % blockBytes))
            hash.update(rest.extracting(first: count))
            end += Int64(count)
            digests.append(BlockDigest(start: start, end: end, value: hash.value))
            rest = rest.extracting(droppingFirst: count)
        }
        return digests
    }
}
