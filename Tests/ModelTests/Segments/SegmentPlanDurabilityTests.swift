import Model
import Testing

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
        let steal = try plan.steal(for: second)
        _ = plan.settle(steal, victimEnd: 70)
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

    @Test func wholeNeighboursAreOneRow() throws {
        var plan = plan()
        let steal = try plan.steal(for: second)
        _ = plan.settle(steal, victimEnd: 70)
        plan.advance(first, writtenTo: 70)
        plan.advance(second, writtenTo: 100)
        plan.release(first)
        plan.release(second)

        plan.markDurable(plan.snapshot())

        #expect(plan.segments == [Segment(index: 0, start: 0, end: 100, durableEnd: 100)])
        #expect(plan.isComplete && plan.isDurable && plan.snapshot().isEmpty)
    }

    @Test func damagedBytesAreMissingAgain() {
        var plan = plan()
        plan.markDurable(plan.snapshot())

        plan.invalidate(10..<20)

        #expect(plan.writtenBytes == 30 && plan.durableBytes == 30 && plan.contiguousEnd == 10 && plan.hasGap)
        #expect(plan.remaining(of: first) == 60)
        #expect(
            plan.segments == [
                Segment(index: 0, start: 0, end: 20, durableEnd: 10),
                Segment(index: 1, start: 20, end: 100, durableEnd: 40),
            ]
        )
        let range = plan.fetch(second)
        #expect(range == 10..<20)
    }

    @Test(arguments: [0..<0, 40..<100, 90..<200, -50..<0] as [Range<Int64>])
    func givingUpWhatIsNotWrittenChangesNothing(range: Range<Int64>) {
        var plan = plan()
        let before = plan

        plan.invalidate(range)

        #expect(plan == before)
    }

    @Test func aFlushFromBeforeTheDamageProvesNothing() {
        var plan = plan()
        let snapshot = plan.snapshot()
        plan.invalidate(10..<20)

        let isCounted = plan.markDurable(snapshot)
        let before = plan.durableBytes
        let nextSnapshot = plan.snapshot()
        let isNextCounted = plan.markDurable(nextSnapshot)

        #expect(!isCounted && before == 0)
        #expect(isNextCounted && plan.durableBytes == 30)
    }

    @Test func aConnectionWhoseLastBytesAreDamagedIsIdle() {
        var plan = plan()
        plan.advance(first, writtenTo: 100)

        plan.invalidate(0..<100)

        #expect(plan.remaining(of: first) == nil && plan.missingBytes == 100)
    }
}
