/// A minute of the local week. The week begins on Monday at 00:00.
public struct MinuteOfWeek: Hashable, Comparable, Sendable {
    /// 0 to 10079.
    public let number: Int

    public static let minutesPerDay = 24 * 60
    public static let minutesPerWeek = 7 * minutesPerDay

    /// Converts minutes since the start of any week. The number may be negative or longer than a week.
    public init(_ number: Int) {
        let rest = number % Self.minutesPerWeek
        self.number = rest < 0 ? rest + Self.minutesPerWeek : rest
    }

    public init(_ day: Weekday, _ time: TimeOfDay) {
        self.init(day.number * Self.minutesPerDay + time.minutes)
    }

    /// The minute of the week of an instant, for a local time of `utcOffsetMinutes` ahead of UTC.
    public init(_ instant: Timestamp, utcOffsetMinutes: Int) {
        let week = Int64(Self.minutesPerWeek)
        let milliseconds = instant.milliseconds % (week * 60_000)
        let minutes = milliseconds >= 0 ? milliseconds / 60_000 : (milliseconds + 1) / 60_000 - 1
        // 1970-01-01 was a Thursday.
        self.init(Int(minutes) + utcOffsetMinutes % Self.minutesPerWeek + 3 * Self.minutesPerDay)
    }

    /// The number of minutes until the next occurrence of `other`, 0 to 10079.
    public func minutes(until other: MinuteOfWeek) -> Int { MinuteOfWeek(other.number - number).number }

    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}
