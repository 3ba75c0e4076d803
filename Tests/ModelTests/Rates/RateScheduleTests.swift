import Model
import Testing

@Suite struct RateScheduleTests {
    private static let weekdays: Set<Weekday> = [.monday, .tuesday, .wednesday, .thursday, .friday]

    private static func window(_ days: Set<Weekday>, _ from: String, _ to: String, _ rate: Int64?) throws -> RateWindow
    {
        RateWindow(
            days: days,
            from: try #require(TimeOfDay(from)),
            to: try #require(TimeOfDay(to)),
            limit: try #require(RateLimit(bytesPerSecond: rate))
        )
    }

    private static func minute(_ day: Weekday, _ time: String) throws -> MinuteOfWeek {
        MinuteOfWeek(day, try #require(TimeOfDay(time)))
    }

    /// Slow at work, nothing on Sunday night, free in other nights.
    private static func schedule() throws -> RateSchedule {
        RateSchedule(windows: [
            try window(weekdays, "08:00", "18:00", 1000),
            try window([.sunday], "22:00", "06:00", 0),
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
            (.sunday, "22:00", .paused), (.sunday, "23:59", .paused), (.monday, "00:00", .paused),
            (.monday, "05:59", .paused), (.monday, "06:00", .unlimited),
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

    @Test func aRateInASettingIsALimitAPauseOrNone() {
        #expect(RateLimit(bytesPerSecond: nil) == .unlimited)
        #expect(RateLimit(bytesPerSecond: 0) == .paused)
        #expect(RateLimit(bytesPerSecond: 1) == .bytesPerSecond(1))
        #expect(RateLimit(bytesPerSecond: -1) == nil)
    }
}
