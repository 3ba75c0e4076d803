import Core
import TestSupport
import Testing
import TransferRules

@testable import Transfer

/// What is written is recorded once it is durable, with the digests of these bytes and no others.
struct SharedPlanTests {
    private static let unit: Int64 = 1 << 20
    private let time = ManualTime()

    /// A range of this many units.
    private static func units(_ range: Range<Int64>) -> Range<Int64> {
        range.lowerBound * unit..<range.upperBound * unit
    }

    private static func digest(_ range: Range<Int64>) -> BlockDigest {
        BlockDigest(start: range.lowerBound * unit, end: range.upperBound * unit, value: UInt64(range.upperBound))
    }

    /// Writes the share of a connection up to this many units.
    private func write(_ plan: SharedPlan, _ connection: ConnectionID, _ range: Range<Int64>) {
        _ = plan.advance(connection, to: range.upperBound * Self.unit, [Self.digest(range)])
    }

    /// A plan of 300 units: the first connection has the first half, the second the other one.
    private func halves() throws -> (plan: SharedPlan, first: ConnectionID, second: ConnectionID) {
        let plan = SharedPlan(SegmentPlan(total: 300 * Self.unit), time: time.source)
        let (first, second) = (plan.makeConnection(), plan.makeConnection())
        _ = plan.firstShare(for: first)
        let next = try #require(plan.nextShare(for: second, isOpen: false, minimum: 1, parts: 2))
        plan.begin(next) { _ in }
        try #require(next.start == 150 * Self.unit)
        return (plan, first, second)
    }

    @Test func theDigestsOfDurableBytesAreRecordedWithThem() throws {
        let (plan, first, second) = try halves()
        write(plan, first, 0..<100)
        write(plan, second, 150..<200)
        let (snapshot, written) = plan.snapshot()
        write(plan, second, 150..<250)

        let (segments, blocks) = plan.markDurable(snapshot, written)

        #expect(segments.durableRanges == [Self.units(0..<100), Self.units(150..<200)])
        #expect(blocks == [Self.digest(0..<100), Self.digest(150..<200)])
    }

    /// The share before another one ends while both are flushed, and they become one segment.
    @Test func noDigestIsRecordedWithoutItsBytes() throws {
        let (plan, first, second) = try halves()
        write(plan, first, 0..<100)
        write(plan, second, 150..<200)
        let (snapshot, written) = plan.snapshot()
        write(plan, first, 0..<150)
        plan.release(first)

        let (segments, blocks) = plan.markDurable(snapshot, written)
        plan.updateRecorded(segments, blocks)

        #expect(segments.durableRanges == [Self.units(0..<100)])
        #expect(blocks == [Self.digest(0..<100)])

        let (rest, others) = plan.snapshot()
        let (all, digests) = plan.markDurable(rest, others)
        #expect(all.durableRanges == [Self.units(0..<200)])
        #expect(digests == [Self.digest(0..<150), Self.digest(150..<200)])
    }
}
