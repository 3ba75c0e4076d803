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
