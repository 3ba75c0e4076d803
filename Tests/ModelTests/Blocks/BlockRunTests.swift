import Core
import Testing
import TestSupport

@Suite struct BlockRunTests {
    private func digest(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var hash = XXH64()
        let bytes = Array(bytes)
        // The array outlives the call.
        unsafe hash.update(bytes.span.bytes)
        return hash.value
    }

    private func update(_ run: inout BlockRun, _ bytes: ArraySlice<UInt8>) -> [BlockDigest] {
        let bytes = Array(bytes)
        // The array outlives the call.
        return unsafe run.update(bytes.span.bytes)
    }

    /// Bytes that come in pieces of any size, from anywhere on: the last digests of each start cover them without a
    /// gap, and are those of the bytes themselves.
    @Test(arguments: 1...200)
    func theDigestsCoverWhatWasWrittenWithoutAGap(_ seed: Int) {
        var generator = SplitMix64(seed: UInt64(seed))
        let blockBytes = Int64.random(in: 1...100, using: &generator)
        let content = Content(seed: UInt64(seed), size: Int64.random(in: 1...600, using: &generator)).allBytes
        let start = Int.random(in: 0..<content.count, using: &generator)
        var run = BlockRun(from: Int64(start), blockBytes: blockBytes)
        var known: [Int64: BlockDigest] = [:]
        var position = start
        while position < content.count {
            let end = Int.random(in: position...content.count, using: &generator)
            for block in update(&run, content[position..<end]) { known[block.start] = block }
            position = end

            let blocks = known.values.sorted { $0.start < $1.start }
            #expect(zip(blocks, blocks.dropFirst()).allSatisfy { $0.end == $1.start })
            if position > start {
                #expect(blocks.first?.start == Int64(start) && blocks.last?.end == Int64(position))
            }
            #expect(run.end == Int64(position))
            for block in blocks {
                #expect(block.value == digest(content[Int(block.start)..<Int(block.end)]))
                #expect(block.start / blockBytes == (block.end - 1) / blockBytes, "across a boundary")
            }
        }
    }

    @Test func nothingHasNoDigest() {
        var run = BlockRun(from: 7)
        #expect(update(&run, []) == [])
        #expect(run.end == 7)
    }

    @Test func aRangeWhoseEndsAreInTheWrongOrderIsEmpty() {
        #expect(BlockDigest(start: 9, end: 3, value: 0).range.isEmpty)
    }
}
