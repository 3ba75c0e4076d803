import Core
import Testing

@Suite struct RateScheduleTests {
    private static let weekdays: Set<Weekday> = [.monday, .tuesday, .wednesday, .thursday, .friday]

    private static func window(_ days: Set<Weekday>, _ from: String, _ to: String, _ rate: Int64?) throws -> RateWindow
    {
        RateWindow(
            days: days,
            from: try #require(TimeOfDay(from)),
            to: try #require(TimeOfDay(to)),
            limit: RateLimit(bytesPerSecond: rate)
        )
    }

    private static func minute(_ day: Weekday, _ time: String) throws -> MinuteOfWeek {
        MinuteOfWeek(day, try #require(TimeOfDay(time)))
    }

    /// Slow at work, slower on Sunday night, free in other nights.
    private static func schedule() throws -> RateSchedule {
        RateSchedule(windows: [
            try window(weekdays, "08:00", "18:00", 1000),
            try window([.sunday], "22:00", "06:00", 1),
            try window(Set(Weekday.allCases), "22:00", "07:00", nil),
        ])
    }

    @Test(
        arguments: [
            (.monday, "07:59", nil), (.monday, "08:00", .bytesPerSecond(1000)),
            (.friday, "17:59", .bytesPerSecond(1000)), (.friday, "18:00", nil), (.saturday, "12:00", nil),
            (.tuesday, "22:00", .unlimited), (.wednesday, "00:00", .unlimited), (.wednesday, "06:59", .unlimited),
            (.wednesday, "07:00", nil),
            // The first window that has it decides; it runs into the next week.
            (.sunday, "22:00", .bytesPerSecond(1)), (.sunday, "23:59", .bytesPerSecond(1)),
            (.monday, "00:00", .bytesPerSecond(1)),
            (.monday, "05:59", .bytesPerSecond(1)), (.monday, "06:00", .unlimited),
        ] as [(Weekday, String, RateLimit?)]
    )
    func theFirstWindowThatHasTheMinuteDecides(day: Weekday, time: String, limit: RateLimit?) throws {
        let schedule = try Self.schedule()

        #expect(schedule.limit(at: try Self.minute(day, time)) == limit)
    }

    @Test func aWindowOfAWholeDayIsAlwaysAndOneWithoutDaysNever() throws {
        let always = RateSchedule(windows: [try Self.window(Set(Weekday.allCases), "05:00", "05:00", 1000)])
        let never = RateSchedule(windows: [try Self.window([], "08:00", "12:00", 1000)])

        for number in stride(from: 0, to: MinuteOfWeek.minutesPerWeek, by: 7) {
            #expect(always.limit(at: MinuteOfWeek(number)) == .bytesPerSecond(1000))
            #expect(never.limit(at: MinuteOfWeek(number)) == nil)
        }
    }

    @Test(
        arguments: [
            // Thursday 1970-01-01, and the Monday after.
            (0, 0, .thursday, "00:00"), (0, 60, .thursday, "01:00"), (0, -60, .wednesday, "23:00"),
            (345_600_000, 0, .monday, "00:00"), (345_599_999, 0, .sunday, "23:59"), (-1, 0, .wednesday, "23:59"),
            (-60_000, 0, .wednesday, "23:59"), (-60_001, 0, .wednesday, "23:58"),
            // 2026-11-21T10:30:59.999Z is a Saturday, and in Kathmandu a quarter past four.
            (1_795_257_059_999, 0, .saturday, "10:30"), (1_795_257_059_999, 345, .saturday, "16:15"),
        ] as [(Int64, Int, Weekday, String)]
    )
    func anInstantHasAMinuteOfTheLocalWeek(milliseconds: Int64, offset: Int, day: Weekday, time: String) throws {
        let minute = MinuteOfWeek(Timestamp(milliseconds: milliseconds), utcOffsetMinutes: offset)

        #expect(minute == (try Self.minute(day, time)))
    }

    @Test(arguments: [Int64.min, .max])
    func anInstantAtTheEndOfTimeHasAMinuteToo(milliseconds: Int64) {
        let minute = MinuteOfWeek(Timestamp(milliseconds: milliseconds), utcOffsetMinutes: .max)

        #expect((0..<MinuteOfWeek.minutesPerWeek).contains(minute.number))
    }

    @Test(arguments: [("00:00", 0), ("08:05", 485), ("23:59", 1439), ("24:00", 1440)])
    func aTimeOfDayIsFourDigits(text: String, minutes: Int) throws {
        let time = try #require(TimeOfDay(text))

        #expect(time.minutes == minutes && time.description == text)
    }

    @Test(arguments: ["", "8:00", "08:60", "24:01", "99:00", "08-00", "08:0", "08:000", "+8:00", "08:00 ", "aa:bb"])
    func anythingElseIsNoTimeOfDay(text: String) {
        #expect(TimeOfDay(text) == nil)
    }

    @Test(
        arguments: [
            (.monday, "08:00", 0, 600), (.monday, "17:59", 599, 1), (.tuesday, "03:00", 300, 240),
            // From another window on, into the next week, and until one that decides before it.
            (.monday, "06:30", 30, 30), (.monday, "05:00", 420, 60), (.sunday, "21:59", nil, nil),
        ] as [(Weekday, String, Int?, Int?)]
    )
    func aWindowDecidesFromOneMinuteToAnother(day: Weekday, time: String, since: Int?, until: Int?) throws {
        let span = try Self.schedule().span(at: try Self.minute(day, time))

        #expect(span?.since == since && span?.until == until)
    }

    @Test func aWindowOfTheWholeWeekHasNoEnds() throws {
        let always = RateSchedule(windows: [try Self.window(Set(Weekday.allCases), "05:00", "05:00", 1000)])

        #expect(always.span(at: try Self.minute(.friday, "05:00")) == nil)
        #expect(RateSchedule.none.span(at: MinuteOfWeek(0)) == nil)
    }

    private static func view(
        _ replacements: ServiceLimits.Replacements,
        at now: Int64,
        offset: Int = 0
    ) throws -> LimitsView {
        let settings = ServiceLimits(bytesPerSecond: 10, bytesPerSecondPerHost: 20, schedule: try schedule())
        let stored = StoredLimits(replacements: replacements)
        return LimitsView(
            settings: settings,
            stored: stored,
            at: Timestamp(milliseconds: now),
            utcOffsetMinutes: offset
        )
    }

    @Test func limitsOfClientsReplaceSettingsAndAWindowReplacesBoth() throws {
        // Thursday 1970-01-01, 07:30:30, and an hour later by the clocks on the wall.
        let before: Int64 = 27_030_000
        let own = ServiceLimits.Replacements(bytesPerSecond: .bytesPerSecond(5), bytesPerSecondPerHost: .unlimited)

        #expect(try Self.view(.init(), at: before).bytesPerSecondNow == 10)
        #expect(try Self.view(.init(), at: before).limits.bytesPerSecondPerHost == 20)
        #expect(try Self.view(own, at: before).bytesPerSecondNow == 5)
        #expect(try Self.view(own, at: before).limits.bytesPerSecondPerHost == nil)
        #expect(try Self.view(own, at: before).window == nil)
        let within = try Self.view(own, at: before, offset: 60)
        #expect(within.bytesPerSecondNow == 1000)
        #expect(within.window?.since == Timestamp(milliseconds: 25_200_000))
        #expect(within.window?.until == Timestamp(milliseconds: 61_200_000))
        let without = ServiceLimits.Replacements(bytesPerSecond: .unlimited, schedule: RateSchedule.none)
        let added = LimitsPatch(bytesPerSecond: .set(.unlimited), schedule: .set(RateSchedule.none)).applied(to: own)
        #expect(try Self.view(added, at: before, offset: 60).bytesPerSecondNow == nil)
        let cleared = LimitsPatch(bytesPerSecond: .clear, bytesPerSecondPerHost: .clear).applied(to: added)
        #expect(cleared == ServiceLimits.Replacements(schedule: RateSchedule.none))
        #expect(try Self.view(without, at: before).limits.bytesPerSecondPerHost == 20)
    }
}
