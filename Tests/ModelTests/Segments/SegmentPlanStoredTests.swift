import Core
import Testing
import TestSupport
import TransferRules

@Suite struct SegmentPlanStoredTests {
    private static func row(_ index: Int, _ start: Int64, _ end: Int64?, _ durableEnd: Int64) -> Segment {
        Segment(index: index, start: start, end: end, durableEnd: durableEnd)
    }

    @Test func whatWasRecordedIsNotFetchedAgain() {
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
