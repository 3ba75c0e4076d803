import Core
import TestSupport
import Testing
import TransferRules

@Suite struct SegmentPlanStoredTests {
    private static func row(_ index: Int, _ start: Int64, _ end: Int64?, _ durableEnd: Int64) -> Segment {
        Segment(index: index, start: start, end: end, durableEnd: durableEnd)
    }

    @Test func recordedBytesAreNotFetchedAgain() {
        var plan = SegmentPlan(
            total: 100,
            stored: [Self.row(7, 60, 100, 80), Self.row(2, 0, 30, 10), Self.row(3, 30, 60, 60)]
        )

        #expect(plan.durableBytes == 60 && plan.contiguousEnd == 10)
        #expect(plan.segments == [Self.row(2, 0, 30, 10), Self.row(3, 30, 100, 80)])
        let hole = plan.fetch(ConnectionID(0))
        let rest = plan.fetch(ConnectionID(1))
        #expect(hole == 10..<30 && rest == 80..<100)
    }

    @Test(
        arguments: [
            ([row(0, 0, nil, 100)], 100),
            ([row(0, 0, nil, 40)], 40),
            ([], 0),
            // A row that no plan records.
            ([row(0, -1, 50, 40)], 0),
            ([row(0, 0, 101, 40)], 0),
            ([row(0, 50, 40, 50)], 0),
            ([row(0, 10, 50, 5)], 0),
            ([row(0, 0, 50, 51)], 0),
            ([row(0, 0, nil, 101)], 0),
            ([row(0, .min, .max, .max)], 0),
            // Two that cannot both be true, beside one that can.
            ([row(0, 0, 50, 40), row(1, 40, 60, 50), row(2, 60, 100, 70)], 10),
            ([row(0, 0, 50, 40), row(0, 0, 50, 40)], 0),
            ([row(0, 0, nil, 40), row(1, 80, 100, 90)], 0),
            // One index twice, or none that a plan would use.
            ([row(0, 0, 50, 40), row(0, 50, 100, 60)], 50),
            ([row(.max, 0, 50, 40), row(-3, 50, 100, 60)], 50),
            // Empty rows say nothing.
            ([row(0, 0, 50, 40), row(1, 20, 20, 20)], 40),
        ] as [([Segment], Int64)]
    )
    func rowsThatContradictEachOtherAreNotBelieved(rows: [Segment], durableBytes: Int64) {
        let plan = SegmentPlan(total: 100, stored: rows)

        #expect(plan.durableBytes == durableBytes)
        #expect(Set(plan.segments.map(\.index)).count == plan.segments.count)
    }

    @Test(arguments: [UInt64(1), 2, 3, 4])
    func aByteIsStoredIfOneSoundRowSaysSoAndNoOtherSpeaksOfItsRow(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<5000 {
            let rows = (0..<Int.random(in: 0...5, using: &random)).map { index in
                let bounds = (0..<3).map { _ in Int64.random(in: -1...21, using: &random) }.sorted()
                let durable = random.chance(oneIn: 8) ? bounds[2] + 1 : bounds[1]
                return Self.row(index, bounds[0], random.chance(oneIn: 8) ? nil : bounds[2], durable)
            }

            let plan = SegmentPlan(total: 20, stored: rows.shuffled(using: &random))

            let stored = Set(plan.segments.flatMap { $0.start..<$0.durableEnd })
            #expect(stored == Self.believable(rows), "\(rows)")
        }
    }

    private static func believable(_ rows: [Segment]) -> Set<Int64> {
        let sound = rows.filter { row in
            let end = row.end ?? 20
            return row.start >= 0 && row.start <= row.durableEnd && row.durableEnd <= end && end <= 20
        }
        var bytes = Set<Int64>()
        for (place, row) in sound.enumerated() {
            let isAlone = sound.enumerated().allSatisfy { other, next in
                other == place || !(row.start..<(row.end ?? 20)).overlaps(next.start..<(next.end ?? 20))
            }
            if isAlone { bytes.formUnion(row.start..<row.durableEnd) }
        }
        return bytes
    }
}

@Suite struct SegmentPlanDurabilityTests {
    private let first = ConnectionID(0)
    private let second = ConnectionID(1)

    /// 100 bytes, of which the first connection has written 40.
    private func plan() -> SegmentPlan {
        var plan = SegmentPlan(total: 100, splitMultiple: 10)
        _ = plan.fetch(first)
        plan.advance(first, writtenTo: 40)
        return plan
    }

    @Test func onlyWhatWasWrittenWhenTheFlushBeganIsDurable() {
        var plan = plan()
        let snapshot = plan.snapshot()
        plan.advance(first, writtenTo: 70)

        #expect(snapshot.ranges == [0..<40] && snapshot.byteCount == 40 && !snapshot.isEmpty)
        #expect(plan.segments.isEmpty)
        plan.markDurable(snapshot)
        #expect(plan.segments == [Segment(index: 0, start: 0, end: 100, durableEnd: 40)])
        #expect(plan.durableBytes == 40 && plan.writtenBytes == 70)
    }

    @Test func aFlushIsCountedAfterItsSegmentWasSplit() throws {
        var plan = plan()
        let snapshot = plan.snapshot()
        let split = try plan.split(for: second)
        _ = plan.finish(split, victimEnd: 70)
        plan.advance(second, writtenTo: 80)

        plan.markDurable(snapshot)
        #expect(plan.segments == [Segment(index: 0, start: 0, end: 70, durableEnd: 40)])
        plan.markDurable(plan.snapshot())
        #expect(
            plan.segments == [
                Segment(index: 0, start: 0, end: 70, durableEnd: 40),
                Segment(index: 1, start: 70, end: 100, durableEnd: 80),
            ]
        )
    }

    @Test func completeNeighboursAreOneRow() throws {
        var plan = plan()
        let split = try plan.split(for: second)
        _ = plan.finish(split, victimEnd: 70)
        plan.advance(first, writtenTo: 70)
        plan.advance(second, writtenTo: 100)
        plan.release(first)
        plan.release(second)

        plan.markDurable(plan.snapshot())

        #expect(plan.segments == [Segment(index: 0, start: 0, end: 100, durableEnd: 100)])
        #expect(plan.isComplete && plan.isDurable && plan.snapshot().isEmpty)
    }
}

@Suite struct SegmentPlanBlocksTests {
    @Test(
        arguments: [
            ([0..<100], [0..<60]), ([], []), ([0..<20], [0..<20]), ([20..<40], [20..<40]),
            ([0..<10, 30..<40], [0..<10, 30..<40]), ([50..<80], [50..<60]), ([70..<80], []),
        ] as [([Range<Int64>], [Range<Int64>])]
    )
    func discardedBytesAreMissing(_ retained: [Range<Int64>], _ expected: [Range<Int64>]) {
        var plan = SegmentPlan(total: 100, stored: [Segment(index: 0, start: 0, end: 100, durableEnd: 60)])
        plan.retain(only: retained)

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

    @Test func lostBytesInTheMiddleHaveRowsOnBothSidesAndAreFetchedFirst() {
        var plan = SegmentPlan(total: 100, stored: [Segment(index: 0, start: 0, end: 100, durableEnd: 40)])
        plan.retain(only: [0..<10, 20..<40])

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
        plan.retain(only: [0..<40])

        #expect(plan == before)
    }
}
