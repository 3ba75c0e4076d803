import Core
import Testing

@Suite struct TimestampTests {
    private static let first = Timestamp(milliseconds: .min)
    private static let last = Timestamp(milliseconds: .max)

    @Test func timesAndDurationsAddUp() {
        let time = Timestamp(milliseconds: 1500)

        #expect(time + .seconds(2) == Timestamp(milliseconds: 3500))
        #expect(time - .seconds(2) == Timestamp(milliseconds: -500))
        #expect(Timestamp(milliseconds: 3500) - time == .seconds(2))
        #expect(time - Timestamp(milliseconds: 3500) == .seconds(-2))
        #expect(time.seconds == 1)
    }

    @Test func sumsSaturateAtTheEndsOfTheRange() {
        #expect(Self.last + .milliseconds(1) == Self.last)
        #expect(Self.first - .milliseconds(1) == Self.first)
        #expect(Self.last - Self.first == .milliseconds(Int64.max))
        #expect(Self.first - Self.last == .milliseconds(Int64.min))
    }

    @Test(
        arguments: [
            (.nanoseconds(999_999), 0), (.microseconds(1_999), 1), (.nanoseconds(-1_999_999), -1),
            (.seconds(Int64.max), .max), (.seconds(Int64.min), .min),
            (.milliseconds(Int64.max), .max), (.milliseconds(Int64.max) + .milliseconds(1), .max),
            (.milliseconds(Int64.min) - .milliseconds(1), .min),
        ] as [(Duration, Int64)]
    )
    func aDurationIsCutToMillisecondsAndSaturates(_ duration: Duration, milliseconds: Int64) {
        #expect(duration.wholeMilliseconds == milliseconds)
    }
}

@Suite struct ClockStepDetectorTests {
    private static let begin = Timestamp(milliseconds: 1_800_000_000_000)

    @Test func theFirstLookKnowsNothingOfWhatWasBefore() {
        var watch = ClockStepDetector()
        let checks = (0..<2).map { _ in watch.wasSetBack(now: Self.begin, elapsed: .seconds(7)) }

        #expect(checks == [true, false])
    }

    @Test(arguments: [
        // How far the wall clock went in a minute, in milliseconds.
        (60_000, false), (60_500, false), (86_460_000, false), (59_000, false), (58_999, true), (0, true),
        (-3_600_000, true),
    ])
    func aClockThatFallsBehindByMoreThanASecondWasSetBack(_ step: Int64, _ wasSetBack: Bool) {
        var watch = ClockStepDetector()
        _ = watch.wasSetBack(now: Self.begin, elapsed: .zero)

        let checks = [
            watch.wasSetBack(now: Self.begin + .milliseconds(step), elapsed: .seconds(60)),
            watch.wasSetBack(now: Self.begin + .milliseconds(step + 60_000), elapsed: .seconds(120)),
        ]
        #expect(checks == [wasSetBack, false])
    }
}

@Suite struct RetentionClockTests {
    private static let begin = Timestamp(milliseconds: 1_800_000_000_000)
    private static let year = Duration.seconds(366 * 86_400)

    /// What the clock tells after each ten minutes of some hours, the wall clock being ahead by `lead`.
    private static func run(_ clock: inout RetentionClock, from start: Int, hours: Int, lead: Duration) -> Timestamp {
        var instant = begin
        for step in start * 6 + 1...(start + hours) * 6 {
            let elapsed = Duration.seconds(600) * step
            instant = clock.instant(now: begin + elapsed + lead, elapsed: elapsed)
        }
        return instant
    }

    @Test func aClockThatIsRightIsTold() {
        var clock = RetentionClock(.init(proven: Self.begin - .seconds(60)), now: Self.begin, elapsed: .zero)
        let instant = Self.run(&clock, from: 0, hours: 1, lead: .zero)
        #expect(instant == Self.begin + .seconds(3600))
    }

    @Test func withoutAnyEventTheWallClockIsBelieved() {
        var clock = RetentionClock(nil, now: Self.begin, elapsed: .zero)
        let instant = clock.instant(now: Self.begin, elapsed: .zero)
        #expect(instant == Self.begin)
    }

    @Test func aClockThatIsFarAheadAtTheStartIsBelievedAfterADay() {
        var clock = RetentionClock(.init(proven: Self.begin), now: Self.begin + Self.year, elapsed: .zero)
        let instant = Self.run(&clock, from: 0, hours: 24, lead: Self.year)
        #expect(instant == Self.begin + .seconds(86_400))
        let later = Self.run(&clock, from: 24, hours: 1, lead: Self.year)
        #expect(later == Self.begin + .seconds(90_000) + Self.year)
    }

    @Test func aClockThatIsSetAheadWhileItRunsIsBelievedAfterADay() {
        var clock = RetentionClock(.init(proven: Self.begin), now: Self.begin, elapsed: .zero)
        _ = Self.run(&clock, from: 0, hours: 5, lead: .zero)
        let instant = Self.run(&clock, from: 5, hours: 24, lead: Self.year)
        #expect(instant == Self.begin + .seconds(29 * 3600))
        let later = Self.run(&clock, from: 29, hours: 1, lead: .zero)
        #expect(later == Self.begin + .seconds(30 * 3600))
    }

    @Test func aLeadThatChangesIsCountedAnew() {
        var clock = RetentionClock(.init(proven: Self.begin), now: Self.begin, elapsed: .zero)
        for hour in 0..<100 {
            let lead = hour.isMultiple(of: 2) ? Self.year : Self.year / 2
            let instant = Self.run(&clock, from: hour, hours: 1, lead: lead)
            #expect(instant == Self.begin + .seconds(3600 * (hour + 1)))
        }
    }

    @Test func aClockThatIsBehindIsTold() {
        var clock = RetentionClock(.init(proven: Self.begin), now: Self.begin - Self.year, elapsed: .zero)
        let instant = Self.run(&clock, from: 0, hours: 1, lead: .zero - Self.year)
        #expect(instant == Self.begin + .seconds(3600) - Self.year)
    }

    /// What the next process knows, where each one runs for some hours and is followed by a pause.
    private static func restart(_ clock: inout RetentionClock, now: Timestamp) {
        clock = RetentionClock(clock.doubt ?? .init(proven: now), now: now, elapsed: .zero)
    }

    @Test func aClockThatIsFarAheadIsBelievedAfterADayWhateverRestartsCome() {
        var clock = RetentionClock(.init(proven: Self.begin), now: Self.begin + Self.year, elapsed: .zero)
        var instants: [Timestamp] = []
        for hour in 0..<30 {
            for step in 0...6 {
                let elapsed = Duration.seconds(600) * step
                let now = Self.begin + Self.year + .seconds(3600) * hour + elapsed
                instants.append(clock.instant(now: now, elapsed: elapsed))
            }
            Self.restart(&clock, now: Self.begin + Self.year + .seconds(3600) * (hour + 1))
        }

        #expect(instants[23 * 7 - 1] <= Self.begin + .seconds(86_400))
        #expect(clock.doubt == nil)
        #expect(instants.last == Self.begin + Self.year + .seconds(30 * 3600))
    }

    /// A machine that runs for eight hours each day: its clock is never believed at once, and never far behind.
    @Test func aMachineThatIsOffAtNightLagsAFewDays() {
        var clock = RetentionClock(.init(proven: Self.begin), now: Self.begin + .seconds(16 * 3600), elapsed: .zero)
        for day in 0..<30 {
            let morning = Self.begin + .seconds(Int64(day) * 86_400 + 16 * 3600)
            for step in 0...48 {
                let elapsed = Duration.seconds(600) * step
                let now = morning + elapsed
                let instant = clock.instant(now: now, elapsed: elapsed)
                #expect(instant <= now && now - instant < .seconds(5 * 86_400), "day \(day)")
            }
            Self.restart(&clock, now: morning + .seconds(86_400))
        }
    }

    @Test func aClockThatIsSetBackWhileNoServiceRunsIsDoubtedAnew() {
        let doubt = RetentionClock.Doubt(
            proven: Self.begin,
            claimedAt: Self.begin + Self.year,
            duration: .seconds(86_000)
        )
        let half = Self.year / 2
        var clock = RetentionClock(doubt, now: Self.begin + half, elapsed: .zero)
        let instant = Self.run(&clock, from: 0, hours: 23, lead: half)

        #expect(instant == Self.begin + .seconds(23 * 3600))
    }
}
