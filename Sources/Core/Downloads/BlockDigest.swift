/// What a stretch of a part file was when it was written: a block of the file, or what was written of one in one go.
public struct BlockDigest: Hashable, Sendable {
    /// No stretch reaches across a multiple of so many bytes.
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

    /// The bytes; none where the ends are in the wrong order, as a damaged row may have them.
    public var range: Range<Int64> { start..<max(start, end) }
}

/// The digests of bytes that are written one after the other: of the blocks that came to their end, and of the one that
/// was begun, as far as it has come.
public struct BlockRun: Hashable, Sendable {
    private let blockBytes: Int64
    private var start: Int64
    private var hash = XXH64()
    /// One past the last byte that was taken in.
    public private(set) var end: Int64

    /// - Parameter blockBytes: At least 1.
    public init(from position: Int64, blockBytes: Int64 = BlockDigest.blockBytes) {
        precondition(blockBytes > 0 && position >= 0)
        self.blockBytes = blockBytes
        start = position
        end = position
    }

    /// Takes in the next bytes.
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
