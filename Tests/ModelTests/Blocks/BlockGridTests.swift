import Model
import TestSupport
import Testing

@Suite struct BlockGridTests {
    @Test(
        arguments: [
            (100, 0, 0..<10), (100, 9, 90..<100), (100, 10, nil), (100, -1, nil), (95, 9, 90..<95), (10, 0, 0..<10),
            (9, 0, nil), (0, 0, nil), (nil, 0, 0..<10), (nil, 1000, 10_000..<10_010), (nil, .max, nil),
            (100, .max, nil),
        ] as [(Int64?, Int, Range<Int64>?)]
    )
    func aBlockLiesWithinTheFile(_ total: Int64?, _ number: Int, _ expected: Range<Int64>?) {
        #expect(BlockGrid(total: total, blockBytes: 10).range(of: number) == expected)
    }

    @Test(
        arguments: [
            ([0..<100], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), ([], []), ([0..<9], []), ([1..<20], [1]), ([5..<35], [1, 2]),
            ([0..<10, 15..<25, 30..<40], [0, 3]), ([90..<95], []), ([85..<100], [9]),
        ] as [([Range<Int64>], [Int])]
    )
    func onlyWholeBlocksCount(_ ranges: [Range<Int64>], _ expected: [Int]) {
        #expect(BlockGrid(total: 100, blockBytes: 10).blocks(within: ranges) == expected)
    }

    @Test func theShorterLastBlockOfAFileOfUnknownSizeIsNone() {
        #expect(BlockGrid(total: 25, blockBytes: 10).blocks(within: [0..<25]) == [0, 1, 2])
        #expect(BlockGrid(total: nil, blockBytes: 10).blocks(within: [0..<25]) == [0, 1])
    }

    @Test func aFileSmallerThanABlockHasNone() {
        #expect(!BlockGrid.hasBlocks((4 << 20) - 1))
        #expect(BlockGrid.hasBlocks(4 << 20))
    }

    /// Files that are filled in any order over several connections, and flushed now and then: a block is named by the
    /// flush that makes the last of its bytes durable, and by no other.
    @Test(arguments: 1...200)
    func eachBlockIsCompletedOnceByTheFlushThatMakesItWhole(_ seed: Int) {
        var generator = SplitMix64(seed: UInt64(seed))
        let total = Int64.random(in: 1...300, using: &generator)
        let grid = BlockGrid(total: total, blockBytes: Int64.random(in: 1...40, using: &generator))
        var plan = SegmentPlan(total: total, splitMultiple: 1)
        var durable = [Bool](repeating: false, count: Int(total))
        var named: [Int] = []

        while !plan.isDurable {
            write(to: &plan, &generator)
            let snapshot = plan.snapshot()
            let completed = plan.blocks(completedBy: snapshot, of: grid)
            let before = whole(durable, grid)
            for range in snapshot.ranges { for offset in range { durable[Int(offset)] = true } }
            plan.markDurable(snapshot)

            #expect(completed == whole(durable, grid).filter { !before.contains($0) })
            named += completed
        }

        #expect(named.sorted() == whole(durable, grid))
    }

    /// A few connections take shares, write some of them, and let go of them.
    private func write(to plan: inout SegmentPlan, _ generator: inout SplitMix64) {
        for number in 0..<Int.random(in: 1...3, using: &generator) {
            let id = ConnectionID(number)
            switch plan.nextShare(for: id, leastShare: 1) {
            case .fetch(let share)?: advance(&plan, share, &generator)
            case .steal(let steal)?:
                if let share = plan.settle(steal, victimEnd: steal.proposedEnd) { advance(&plan, share, &generator) }
            case nil: break
            }
        }
        for number in 0..<3 where Bool.random(using: &generator) { plan.release(ConnectionID(number)) }
    }

    private func advance(_ plan: inout SegmentPlan, _ share: SegmentShare, _ generator: inout SplitMix64) {
        let end = Int64.random(in: share.start + 1...share.end, using: &generator)
        plan.advance(share.connection, writtenTo: end)
    }

    /// The blocks all of whose bytes are durable, byte by byte.
    private func whole(_ durable: [Bool], _ grid: BlockGrid) -> [Int] {
        guard durable.count >= grid.blockBytes else { return [] }
        return (0..<durable.count).filter { number in
            let start = number * Int(grid.blockBytes)
            return start < durable.count
                && durable[start..<min(start + Int(grid.blockBytes), durable.count)].allSatisfy(\.self)
        }
    }
}
