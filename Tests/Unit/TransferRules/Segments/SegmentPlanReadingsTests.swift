import Core
import TestSupport
import Testing
import TransferRules

/// What clients are shown of a plan. That it covers the file at any time is part of `SegmentPlanPropertyTests`.
@Suite struct SegmentPlanReadingsTests {
    private let connection = ConnectionID(0)

    private static func reading(
        _ start: Int64,
        _ end: Int64?,
        _ receivedBytes: Int64,
        _ state: SegmentReading.State
    ) -> SegmentReading {
        SegmentReading(
            start: start,
            end: end,
            receivedBytes: receivedBytes,
            state: state,
            bytesPerSecond: state == .running ? 7 : nil,
            authority: state == .running ? "a.example:80" : nil
        )
    }

    private static func receiving(from start: Int64) -> (ConnectionID) -> ConnectionReading? {
        { _ in ConnectionReading(start: start, bytesPerSecond: 7, authority: "a.example:80") }
    }

    @Test func recordedBytesAreReceivedAndTheRestIsMissing() {
        let rows = [
            Segment(index: 0, start: 0, end: 30, durableEnd: 10), Segment(index: 1, start: 30, end: 60, durableEnd: 60),
        ]

        let readings = rows.readings(total: 100)

        let expected = [
            Self.reading(0, 10, 10, .received), Self.reading(10, 30, 0, .waiting), Self.reading(30, 60, 30, .received),
            Self.reading(60, 100, 0, .waiting),
        ]
        #expect(readings == expected)
    }

    @Test func aFileWithoutRowsIsOneSegmentThatWaits() {
        #expect([Segment]().readings(total: 100) == [Self.reading(0, 100, 0, .waiting)])
        #expect([Segment]().readings(total: nil) == [Self.reading(0, nil, 0, .waiting)])
        #expect([Segment]().readings(total: 0) == [])
    }

    @Test func aFileOfUnknownSizeIsOneSegment() {
        let rows = [Segment(index: 0, start: 0, end: nil, durableEnd: 40)]

        #expect(rows.readings(total: nil) == [Self.reading(0, nil, 40, .waiting)])
    }

    @Test func aShareBeginsWhereItsConnectionDid() {
        var plan = SegmentPlan(total: 100, stored: [Segment(index: 0, start: 0, end: 100, durableEnd: 20)])
        _ = plan.fetch(connection)
        plan.advance(connection, writtenTo: 50)
        // The plan joins the share with the bytes before it.
        plan.markDurable(plan.snapshot())

        let expected = [Self.reading(0, 20, 20, .received), Self.reading(20, 100, 30, .running)]
        #expect(plan.readings(of: Self.receiving(from: 20)) == expected)
    }

    @Test func aShareThatWasExtendedIsOneSegment() throws {
        var plan = SegmentPlan(total: 100, splitMultiple: 1)
        _ = plan.nextShare(for: connection, leastShare: 1, mostShare: 40)
        let end = try #require(plan.end(of: connection))
        plan.advance(connection, writtenTo: end)
        let extended = plan.extend(connection, upTo: 100)
        plan.advance(connection, writtenTo: end + 10)

        #expect(end < 100 && extended == 100)
        #expect(plan.readings(of: Self.receiving(from: 0)) == [Self.reading(0, 100, end + 10, .running)])
    }

    @Test func aShareWithoutAResponseIsRunningToo() {
        var plan = SegmentPlan(total: 100)
        _ = plan.fetch(connection)

        let readings = plan.readings { _ in nil }

        #expect(readings == [SegmentReading(start: 0, end: 100, receivedBytes: 0, state: .running, bytesPerSecond: 0)])
    }

    @Test func aShareThatWasGivenUpWaits() {
        var plan = SegmentPlan(total: 100)
        _ = plan.fetch(connection)
        plan.advance(connection, writtenTo: 30)
        plan.release(connection)

        #expect(plan.readings() == [Self.reading(0, 30, 30, .received), Self.reading(30, 100, 0, .waiting)])
    }

    @Test func manyHolesBecomeAtMost64Segments() {
        let rows = (0..<500).map { index in
            let start = Int64(index) * 10
            return Segment(index: index, start: start, end: start + 10, durableEnd: start + 5)
        }

        let readings = rows.readings(total: 5000)

        #expect(readings.count == 64)
        #expect(readings.last?.end == 5000)
        #expect(readings.reduce(0) { $0 + $1.receivedBytes } == 2500)
    }
}
