import Core
import TestSupport

extension Content {
    /// The digests of its bytes, block by block.
    var blocks: [BlockDigest] { blocks(before: size) }

    /// Those of what comes before an offset, the last of which may be of a part of a block.
    func blocks(before end: Int64) -> [BlockDigest] {
        var run = BlockRun(from: 0)
        let bytes = bytes(in: 0..<end)
        // The array outlives the call.
        return unsafe run.update(bytes.span.bytes)
    }
}
