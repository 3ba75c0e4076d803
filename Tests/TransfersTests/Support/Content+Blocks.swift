import Model
import TestSupport

extension Content {
    /// The digests of its blocks.
    var blocks: [BlockDigest] {
        let grid = BlockGrid(total: size)
        return grid.blocks(within: [0..<size]).compactMap { number in
            grid.range(of: number).map { range in
                var hash = XXH64()
                let bytes = bytes(in: range)
                // The array outlives the call.
                unsafe hash.update(bytes.span.bytes)
                return BlockDigest(number: number, value: hash.value)
            }
        }
    }
}
