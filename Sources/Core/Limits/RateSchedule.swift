/// A weekly schedule of rate limits.
public struct RateSchedule: Hashable, Sendable {
    /// The time windows. If several contain an instant, the first one applies.
    public let windows: [RateWindow]

    public static let none = RateSchedule(windows: [])

    public init(windows: [RateWindow]) {
        self.windows = windows
    }

    /// The limit at a minute of the week; nil outside all windows, where the normal limit applies.
    public func limit(at minute: MinuteOfWeek) -> RateLimit? {
        windows.first { $0.contains(minute) }?.limit
    }

    /// The minutes since the start of the present window and until its end. Returns nil outside all windows, and if one
    /// window applies all week.
    public func span(at minute: MinuteOfWeek) -> (since: Int, until: Int)? {
        guard let window = index(at: minute) else { return nil }
        let bounds = Set(windows.flatMap(\.bounds))
        let since = bounds.map { $0.minutes(until: minute) }.sorted()
            .first { index(at: MinuteOfWeek(minute.number - $0 - 1)) != window }
        let until = bounds.map { minute.minutes(until: $0) }.sorted()
            .first { index(at: MinuteOfWeek(minute.number + $0)) != window }
        guard let since, let until else { return nil }
        return (since, until)
    }

    private func index(at minute: MinuteOfWeek) -> Int? { windows.firstIndex { $0.contains(minute) } }
}

/// A weekly time window with its own limit.
public struct RateWindow: Hashable, Sendable {
    /// The days on which the window begins; the window never applies if the set is empty.
    public let days: Set<Weekday>
    public let from: TimeOfDay
    /// The end, which is excluded. If it is not later than `from`, it is on the next day: a window from 22:00 to 06:00
    /// ends the next morning, and one from 08:00 to 08:00 lasts 24 hours.
    public let to: TimeOfDay
    public let limit: RateLimit

    public init(days: Set<Weekday>, from: TimeOfDay, to: TimeOfDay, limit: RateLimit) {
        self.days = days
        self.from = from
        self.to = to
        self.limit = limit
    }

    /// The duration in minutes, 1 to 1440.
    var length: Int {
        let length = to.minutes - from.minutes
        return length > 0 ? length : length + MinuteOfWeek.minutesPerDay
    }

    /// The first minute of each occurrence, and the first minute after it.
    var bounds: [MinuteOfWeek] {
        days.map { MinuteOfWeek($0, from) }.flatMap { [$0, MinuteOfWeek($0.number + length)] }
    }

    func contains(_ minute: MinuteOfWeek) -> Bool {
        days.contains { MinuteOfWeek($0, from).minutes(until: minute) < length }
    }
}

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

/// A time of day in minutes, from 00:00 to 24:00 (the end of the day).
public struct TimeOfDay: Hashable, Sendable, CustomStringConvertible {
    /// Minutes since midnight, 0 to 1440.
    public let minutes: Int

    /// Returns nil outside 0 to 1440.
    public init?(minutes: Int) {
        guard (0...MinuteOfWeek.minutesPerDay).contains(minutes) else { return nil }
        self.minutes = minutes
    }

    /// Parses `HH:MM` with two digits each. Returns nil for anything else.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
        let digits = [0, 1, 3, 4].map { Int(bytes[$0]) - Int(UInt8(ascii: "0")) }
        guard digits.allSatisfy({ (0...9).contains($0) }), digits[2] < 6 else { return nil }
        self.init(minutes: (digits[0] * 10 + digits[1]) * 60 + digits[2] * 10 + digits[3])
    }

    public var description: String {
        let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
        return (hour < 10 ? "0" : "") + "\(hour):" + (minute < 10 ? "0" : "") + "\(minute)"
    }
}

/// A day of the week, beginning with Monday (ISO 8601). The raw value is its name in settings.
public enum Weekday: String, CaseIterable, Hashable, Sendable {
    case monday = "mon"
    case tuesday = "tue"
    case wednesday = "wed"
    case thursday = "thu"
    case friday = "fri"
    case saturday = "sat"
    case sunday = "sun"

    /// 0 for Monday, 6 for Sunday.
    public var number: Int {
        switch self {
        case .monday: 0
        case .tuesday: 1
        case .wednesday: 2
        case .thursday: 3
        case .friday: 4
        case .saturday: 5
        case .sunday: 6
        }
    }
}
