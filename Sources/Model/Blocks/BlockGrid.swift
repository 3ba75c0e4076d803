/// The blocks of a file: stretches of one size, of which each has a digest of its own once it is durable as a whole.
///
/// The last one may be shorter. A file smaller than one block has none: it is fetched again as a whole.
public struct BlockGrid: Hashable, Sendable {
    /// The size of the file in bytes; nil while it is unknown, and with it whether there is a shorter last block.
    public let total: Int64?
    public let blockBytes: Int64

    /// - Parameter blockBytes: At least 1. What is recorded of a file depends on it.
    public init(total: Int64?, blockBytes: Int64 = 4 << 20) {
        precondition(blockBytes > 0)
        self.total = total
        self.blockBytes = blockBytes
    }

    /// Whether a file of so many bytes has blocks.
    public static func hasBlocks(_ total: Int64) -> Bool { total >= Self(total: total).blockBytes }

    /// The bytes of a block; nil where the file has no such block.
    public func range(of number: Int) -> Range<Int64>? {
        let end = total ?? .max
        let (start, overflow) = Int64(number).multipliedReportingOverflow(by: blockBytes)
        guard !overflow, start >= 0, start < end, end >= blockBytes else { return nil }
        let length = min(blockBytes, end - start)
        return total != nil || length == blockBytes ? start..<start + length : nil
    }

    /// The blocks that have bytes of `touched` and lie as a whole within one of `ranges`, ascending.
    ///
    /// - Parameter touched: Ascending, none empty, as `ranges` are.
    public func blocks(touching touched: [Range<Int64>], within ranges: [Range<Int64>]) -> [Int] {
        var found: [Int] = []
        for piece in touched {
            for number in Int(piece.lowerBound / blockBytes)...Int((piece.upperBound - 1) / blockBytes) {
                guard found.last ?? -1 < number, let block = range(of: number) else { continue }
                if ranges.contains(where: { $0.contains(block) }) { found.append(number) }
            }
        }
        return found
    }

    /// The blocks that lie as a whole within one of `ranges`, ascending.
    public func blocks(within ranges: [Range<Int64>]) -> [Int] { blocks(touching: ranges, within: ranges) }
}
