import Core
import Testing
import TransferRules

@Suite struct SegmentPlanBlocksTests {
    @Test(
        arguments: [
            ([0..<100], [0..<60]), ([], []), ([0..<20], [0..<20]), ([20..<40], [20..<40]),
            ([0..<10, 30..<40], [0..<10, 30..<40]), ([50..<80], [50..<60]), ([70..<80], []),
        ] as [([Range<Int64>], [Range<Int64>])]
    )
    func whatIsNotKeptIsMissing(_ kept: [Range<Int64>], _ expected: [Range<Int64>]) {
        var plan = SegmentPlan(total: 100, stored: [Segment(index: 0, start: 0, end: 100, durableEnd: 60)])
        plan.keep(only: kept)

        #expect(plan.segments.durableRanges == expected)
        #expect(plan.missingBytes == 100 - expected.reduce(0) { $0 + Int64($1.count) })
    }

    @Test func segmentsThatFollowEachOtherAreOneRange() {
        let segments = [
            Segment(index: 2, start: 50, end: 60, durableEnd: 55), Segment(index: 0, start: 0, end: 20, durableEnd: 20),
            Segment(index: 1, start: 20, end: 50, durableEnd: 30),
            Segment(index: 3, start: 60, end: nil, durableEnd: 60),
        ]

        #expect(segments.durableRanges == [0..<30, 50..<55])
    }

    @Test func whatIsLostInTheMiddleHasRowsOnBothSidesAndIsFetchedFirst() {
        var plan = SegmentPlan(total: 100, stored: [Segment(index: 0, start: 0, end: 100, durableEnd: 40)])
        plan.keep(only: [0..<10, 20..<40])

        #expect(plan.writtenBytes == 30 && plan.contiguousEnd == 10)
        #expect(
            plan.segments == [
                Segment(index: 0, start: 0, end: 20, durableEnd: 10),
                Segment(index: 1, start: 20, end: 100, durableEnd: 40),
            ]
        )
        let range = plan.fetch(ConnectionID(0))
        #expect(range == 10..<20)
    }

    @Test func keepingAllChangesNothing() {
        var plan = SegmentPlan(total: 100, stored: [Segment(index: 0, start: 0, end: 100, durableEnd: 40)])
        let before = plan
        plan.keep(only: [0..<40])

        #expect(plan == before)
    }
}
