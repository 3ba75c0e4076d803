import Testing

@testable import Core
@testable import HTTPFields
@testable import TransferRules

@Suite struct SegmentPlanTests {
    private let mebibyte: Int64 = 1 << 20
    private let first = ConnectionID(0)
    private let second = ConnectionID(1)
    private let third = ConnectionID(2)

    @Test func theFirstConnectionHasTheWholeFile() {
        var plan = SegmentPlan(total: 8 * mebibyte)

        let range = plan.fetch(first)
        let second = plan.nextShare(for: first, leastShare: 1)

        #expect(range == 0..<8 * mebibyte && second == nil)
        #expect(plan.remaining(of: first) == 8 * mebibyte && !plan.hasGap)
    }

    @Test func anEmptyFileIsCompleteAndGivesNoWork() {
        var plan = SegmentPlan(total: 0)

        let next = plan.nextShare(for: first, leastShare: 1)

        #expect(next == nil)
        #expect(plan.isComplete && plan.isDurable && plan.segments.isEmpty && plan.contiguousEnd == 0)
    }

    @Test func anIdleConnectionTakesTheSecondHalfOnceTheVictimAgrees() throws {
        var plan = SegmentPlan(total: 8 * mebibyte)
        _ = plan.fetch(first)
        let split = try plan.split(for: second)

        #expect(split.victim == first && split.proposedEnd == 4 * mebibyte)
        #expect(plan.remaining(of: first) == 8 * mebibyte && plan.remaining(of: second) == nil)

        let taken = plan.finish(split, victimEnd: split.proposedEnd)
        let takenAgain = plan.finish(split, victimEnd: 0)

        #expect(taken?.start == 4 * mebibyte && taken?.end == 8 * mebibyte && taken?.connection == second)
        #expect(plan.remaining(of: first) == 4 * mebibyte && takenAgain == nil)
    }

    @Test func aVictimThatHasPassedTheProposedEndKeepsWhatItWrote() throws {
        var plan = SegmentPlan(total: 8 * mebibyte)
        _ = plan.fetch(first)
        let split = try plan.split(for: second)
        plan.advance(first, writtenTo: 5 * mebibyte)

        let taken = plan.finish(split, victimEnd: 5 * mebibyte + 100)

        #expect(taken?.start == 5 * mebibyte + 100)
        #expect(plan.remaining(of: first) == 100)
    }

    @Test func aVictimAtItsEndGivesNothing() throws {
        var plan = SegmentPlan(total: 8 * mebibyte)
        _ = plan.fetch(first)
        let split = try plan.split(for: second)

        let taken = plan.finish(split, victimEnd: 8 * mebibyte)

        #expect(taken == nil)
        #expect(plan.remaining(of: first) == 8 * mebibyte && plan.remaining(of: second) == nil)
    }

    @Test func aSplitOfAReleasedConnectionIsVoidAndItsRestIsThereForAnyone() throws {
        var plan = SegmentPlan(total: 8 * mebibyte)
        _ = plan.fetch(first)
        let split = try plan.split(for: second)
        plan.advance(first, writtenTo: mebibyte)
        plan.release(first)

        let taken = plan.finish(split, victimEnd: 4 * mebibyte)
        let range = plan.fetch(second)

        #expect(taken == nil && range == mebibyte..<8 * mebibyte)
    }

    @Test func theShareOfAConnectionThatEndedIsFree() throws {
        var plan = SegmentPlan(total: 8 * mebibyte)
        _ = plan.fetch(first)
        let split = try plan.split(for: second)
        plan.release(second)

        let taken = plan.finish(split, victimEnd: 4 * mebibyte)

        #expect(taken == nil && plan.remaining(of: first) == 4 * mebibyte && plan.hasGap)
        let range = plan.fetch(third)
        #expect(range == 4 * mebibyte..<8 * mebibyte)
    }

    @Test func aVictimIsAskedOnceAtATime() throws {
        var plan = SegmentPlan(total: 8 * mebibyte)
        _ = plan.fetch(first)
        _ = try plan.split(for: second)

        let again = plan.nextShare(for: second, leastShare: 1)
        let another = plan.nextShare(for: third, leastShare: 1)

        #expect(again == nil && another == nil)
    }

    @Test func theLargestRestIsSplit() throws {
        var plan = SegmentPlan(total: 8 * mebibyte)
        _ = plan.fetch(first)
        let half = try plan.split(for: second)
        _ = plan.finish(half, victimEnd: half.proposedEnd)
        plan.advance(first, writtenTo: mebibyte)

        let quarter = try plan.split(for: third)

        #expect(quarter.victim == second && quarter.proposedEnd == 6 * mebibyte)
    }

    @Test func bothAreDoneAtOneTimeThoughTheThiefBeginsLater() throws {
        var plan = SegmentPlan(total: 8 * mebibyte)
        _ = plan.fetch(first)

        let next = plan.nextShare(for: second, leastShare: 1) { ShareDivision(retained: $1 / 2 + mebibyte, urgency: 1) }

        #expect(next?.split?.proposedEnd == 5 * mebibyte)
    }

    @Test func theConnectionThatWouldEndLastGivesBytes() throws {
        var plan = SegmentPlan(total: 8 * mebibyte)
        _ = plan.fetch(first)
        let half = try plan.split(for: second)
        _ = plan.finish(half, victimEnd: half.proposedEnd)
        plan.advance(second, writtenTo: 5 * mebibyte)

        let late = second
        let split = plan.nextShare(for: third, leastShare: 1) { victim, _ in
            victim == late ? ShareDivision(retained: mebibyte / 2, urgency: 2) : ShareDivision(retained: 1, urgency: 1)
        }?.split

        #expect(split?.victim == second && split?.proposedEnd == 5 * mebibyte + mebibyte / 2)
    }

    @Test func aVictimThatBringsAllBeforeTheThiefBeginsKeepsIt() {
        var plan = SegmentPlan(total: 8 * mebibyte)
        _ = plan.fetch(first)

        let next = plan.nextShare(for: second, leastShare: 1) { _, _ in nil }

        #expect(next == nil)
    }

    @Test func noConnectionAsksForMoreThanItsPart() throws {
        var plan = SegmentPlan(total: 8 * mebibyte)
        _ = plan.fetch(first)

        let split = try #require(plan.nextShare(for: second, leastShare: 1, mostShare: 2 * mebibyte)?.split)
        let taken = plan.finish(split, victimEnd: split.proposedEnd)
        let next = plan.nextShare(for: third, leastShare: 1, mostShare: 2 * mebibyte)

        #expect(taken?.start == 2 * mebibyte && taken?.end == 4 * mebibyte)
        #expect(next?.start == 4 * mebibyte && plan.end(of: third) == 6 * mebibyte && plan.hasGap)
    }

    @Test func aGapThatIsHardlyMoreThanAPartIsTakenAsAWhole() {
        var plan = SegmentPlan(total: 3 * mebibyte)

        _ = plan.nextShare(for: first, leastShare: 1, mostShare: 2 * mebibyte)

        #expect(plan.end(of: first) == 3 * mebibyte && !plan.hasGap)
    }

    @Test func aConnectionContinuesPastItsShareByAPart() {
        var plan = SegmentPlan(total: 8 * mebibyte)
        _ = plan.nextShare(for: first, leastShare: 1, mostShare: 2 * mebibyte)
        plan.advance(first, writtenTo: 2 * mebibyte)

        let end = plan.extend(first, upTo: 8 * mebibyte, mostShare: 2 * mebibyte)

        #expect(end == 4 * mebibyte && plan.firstGap == 4 * mebibyte..<8 * mebibyte)
    }

    @Test(
        arguments: [
            (written: 0, total: 131_072, leastShare: 65_536, cut: 65_536),
            (written: 0, total: 131_071, leastShare: 65_536, cut: nil),
            (written: 10_000, total: 200_000, leastShare: 60_000, cut: 131_072),
            (written: 70_000, total: 200_000, leastShare: 60_000, cut: 131_072),
            (written: 70_000, total: 200_000, leastShare: 65_000, cut: nil),
            (written: 70_000, total: 120_000, leastShare: 1, cut: nil),
            (written: 0, total: 131_072, leastShare: -5, cut: 65_536),
            (written: 0, total: .max, leastShare: .max, cut: nil),
            (written: .max - 2, total: .max, leastShare: 1, cut: nil),
        ] as [(written: Int64, total: Int64, leastShare: Int64, cut: Int64?)]
    )
    func aShareIsCutAtAMultipleAndNeverTooSmall(
        written: Int64,
        total: Int64,
        leastShare: Int64,
        cut: Int64?
    ) {
        var plan = SegmentPlan(total: total, splitMultiple: 65_536)
        _ = plan.fetch(first)
        plan.advance(first, writtenTo: written)

        let next = plan.nextShare(for: second, leastShare: leastShare)

        #expect(next?.split?.proposedEnd == cut)
    }

    @Test func aReleasedConnectionsLatePositionIsNotCounted() {
        var plan = SegmentPlan(total: 100)
        _ = plan.fetch(first)
        plan.advance(first, writtenTo: 40)
        plan.release(first)

        plan.advance(first, writtenTo: 60)

        #expect(plan.writtenBytes == 40 && plan.missingBytes == 60 && plan.contiguousEnd == 40)
    }

    @Test(arguments: [Int64(-1), 0, 39, 101, .max])
    func aPositionOutsideTheShareIsNotCounted(position: Int64) {
        var plan = SegmentPlan(total: 100)
        _ = plan.fetch(first)
        plan.advance(first, writtenTo: 40)

        plan.advance(first, writtenTo: position)

        #expect(plan.writtenBytes == 40)
    }
}

extension SegmentPlan {
    /// The bytes that an idle connection is given; nil where it has to steal them, or where there are none.
    mutating func fetch(_ connection: ConnectionID) -> Range<Int64>? {
        guard case .fetch(let share)? = nextShare(for: connection, leastShare: 1) else { return nil }
        return share.start..<share.end
    }

    /// The steal that an idle connection is to try.
    mutating func split(for connection: ConnectionID) throws -> ShareSplit {
        let next = nextShare(for: connection, leastShare: 1)
        return try #require(next?.split)
    }
}

extension ShareAssignment {
    var split: ShareSplit? {
        guard case .split(let split) = self else { return nil }
        return split
    }
}

/// What tests look at and the service has no need of.
extension SegmentPlan {
    /// The bytes that would survive the loss of power.
    var durableBytes: Int64 { planned.reduce(0) { $0 + $1.durableEnd - $1.start } }

    /// Whether every byte would survive the loss of power.
    var isDurable: Bool { planned.allSatisfy { $0.durableEnd == $0.end } }

    /// Whether bytes are missing that no connection fetches.
    var hasGap: Bool { firstGap != nil }

    /// The bytes that the connection has left; nil where it has no share.
    func remaining(of connection: ConnectionID) -> Int64? {
        place(of: connection).map { planned[$0].remaining }
    }
}
