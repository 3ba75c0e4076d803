import Core
import TestSupport
import Testing

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

    @Test func anEmptyRunHasNoDigest() {
        var run = BlockRun(from: 7)
        #expect(update(&run, []) == [])
        #expect(run.end == 7)
    }

    @Test func aRangeWhoseEndsAreInTheWrongOrderIsEmpty() {
        #expect(BlockDigest(start: 9, end: 3, value: 0).range.isEmpty)
    }
}

@Suite struct XXH64Tests {
    private func digest(_ bytes: some Sequence<UInt8>, pieces: Int = .max) -> UInt64 {
        var hash = XXH64()
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
            // The array outlives the call.
            unsafe hash.update(piece.span.bytes)
        }
        return hash.value
    }

    /// The bytes that the sanity check of github.com/Cyan4973/xxHash is made of.
    private func sanityBytes(_ count: Int) -> [UInt8] {
        var generator: UInt64 = 2_654_435_761
        return (0..<count).map { _ in
            defer { generator &*= 11_400_714_785_074_694_797 }
            return UInt8(truncatingIfNeeded: generator >> 56)
        }
    }

    @Test(
        arguments: [
            ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
            ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
        ] as [(String, UInt64)]
    )
    func aTextHasItsPublishedDigest(_ text: String, _ expected: UInt64) {
        #expect(digest(text.utf8) == expected)
    }

    @Test(
        arguments: [
            (0, 0xEF46_DB37_51D8_E999), (1, 0xE934_A84A_DB05_2768), (4, 0x9136_A0DC_A574_57EE),
            (14, 0x8282_DCC4_994E_35C8), (222, 0xB641_AE8C_B691_C174),
        ] as [(Int, UInt64)]
    )
    func theSanityBytesHaveTheirPublishedDigests(_ count: Int, _ expected: UInt64) {
        #expect(digest(sanityBytes(count)) == expected)
    }

    @Test(arguments: [1, 3, 8, 31, 32, 33, 64, 100])
    func howTheBytesAreCutMakesNoDifference(_ pieces: Int) {
        for count in [0, 1, 31, 32, 33, 63, 64, 65, 222] {
            let bytes = sanityBytes(count)

            #expect(digest(bytes, pieces: pieces) == digest(bytes))
        }
    }

    @Test func eachBitCounts() {
        let bytes = sanityBytes(100)
        var digests: Set = [digest(bytes)]
        for bit in 0..<800 {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            digests.insert(digest(changed))
        }

        #expect(digests.count == 801)
    }
}
