import Testing
@testable import Transfer

struct SlowTimeTests {
    /// Periods of 5 seconds, of 500 bytes at the least.
    private static let floor = SpeedFloor(bytesPerSecond: 100, time: .seconds(20))

    /// - Returns: After how many periods it is over; nil where it is not.
    private func end(_ floor: SpeedFloor, _ periods: [Int64?]) -> Int? {
        var slowTime = SlowTime(floor)
        for (index, bytes) in periods.enumerated() {
            slowTime.note(bytes, in: slowTime.period)
            if slowTime.isOver { return index + 1 }
        }
        return nil
    }

    @Test(
        arguments: [
            ([0, 0, 0, 0], 4), ([499, 499, 499, 499], 4), ([500, 500, 500, 500, 500], nil),
            // One that is fast enough begins anew.
            ([0, 0, 0, 500, 0, 0, 0], nil), ([0, 0, 0, 500, 0, 0, 0, 0], 8),
            // One that was held back counts neither way.
            ([nil, nil, nil, nil, nil, nil], nil), ([0, 0, nil, nil, 0, 0], 6),
        ] as [([Int64?], Int?)]
    )
    func itIsOverOnceEveryPeriodWasSlowForTheTime(_ periods: [Int64?], _ end: Int?) {
        #expect(self.end(Self.floor, periods) == end)
    }

    @Test(arguments: [(Duration.zero, 0.25), (.seconds(1), 0.25), (.seconds(10), 2.5), (.seconds(3600), 5)])
    func aPeriodIsAQuarterOfTheTimeAndFiveSecondsAtMost(_ time: Duration, _ seconds: Double) {
        #expect(SlowTime(SpeedFloor(bytesPerSecond: 1, time: time)).period == .seconds(seconds))
    }
}
