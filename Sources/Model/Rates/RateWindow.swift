/// A time of the week with a limit of its own.
public struct RateWindow: Hashable, Sendable {
    /// The days on which it begins; none means never.
    public let days: Set<Weekday>
    public let from: TimeOfDay
    /// Excluded. Not later than `from`, it is that of the next day: a window from 22:00 to 06:00 ends in the morning
    /// after, and one from 08:00 to 08:00 lasts a whole day.
    public let to: TimeOfDay
    public let limit: RateLimit

    public init(days: Set<Weekday>, from: TimeOfDay, to: TimeOfDay, limit: RateLimit) {
        self.days = days
        self.from = from
        self.to = to
        self.limit = limit
    }

    /// In minutes, 1 to 1440.
    var length: Int {
        let length = to.minutes - from.minutes
        return length > 0 ? length : length + MinuteOfWeek.minutesPerDay
    }

    /// The minutes at which it begins, and those that are the first after it.
    var bounds: [MinuteOfWeek] {
        days.map { MinuteOfWeek($0, from) }.flatMap { [$0, MinuteOfWeek($0.number + length)] }
    }

    func contains(_ minute: MinuteOfWeek) -> Bool {
        days.contains { MinuteOfWeek($0, from).minutes(until: minute) < length }
    }
}
