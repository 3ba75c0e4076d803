import Core
import Testing
import TransferRules

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
}
