/// Computes the digests of contiguous writes: of completed blocks, and of the written part of the current block.
public struct BlockRun: Hashable, Sendable {
    private let blockBytes: Int64
    private var start: Int64
    private var hash = XXH64()
    /// One past the last appended byte.
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
    /// - Returns: The digests that are new or cover more bytes than before, in ascending order.
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
