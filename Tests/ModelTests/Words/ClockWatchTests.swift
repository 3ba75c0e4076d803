import Core
import Testing

@Suite struct ClockWatchTests {
    private static let begin = Timestamp(milliseconds: 1_800_000_000_000)

    @Test func theFirstLookKnowsNothingOfWhatWasBefore() {
        var watch = ClockWatch()
        let looks = (0..<2).map { _ in watch.wasSetBack(now: Self.begin, elapsed: .seconds(7)) }

        #expect(looks == [true, false])
    }

    @Test(arguments: [
        // How far the wall clock went in a minute, in milliseconds.
        (60_000, false), (60_500, false), (86_460_000, false), (59_000, false), (58_999, true), (0, true),
        (-3_600_000, true),
    ])
    func aClockThatFallsBehindByMoreThanASecondWasSetBack(_ step: Int64, _ wasSetBack: Bool) {
        var watch = ClockWatch()
        _ = watch.wasSetBack(now: Self.begin, elapsed: .zero)

        let looks = [
            watch.wasSetBack(now: Self.begin + .milliseconds(step), elapsed: .seconds(60)),
            watch.wasSetBack(now: Self.begin + .milliseconds(step + 60_000), elapsed: .seconds(120)),
        ]
        #expect(looks == [wasSetBack, false])
    }
}
