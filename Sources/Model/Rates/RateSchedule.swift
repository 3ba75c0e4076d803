/// Which limit applies at which time of the week.
public struct RateSchedule: Hashable, Sendable {
    /// Where several contain an instant, the first one decides.
    public let windows: [RateWindow]

    public init(windows: [RateWindow]) {
        self.windows = windows
    }

    /// The limit at a minute; nil outside all windows, where the ordinary limit applies.
    public func limit(at minute: MinuteOfWeek) -> RateLimit? {
        windows.first { $0.contains(minute) }?.limit
    }

    /// The minutes from one until the limit is another, 1 to 10079; nil when it never is.
    public func minutesToChange(after minute: MinuteOfWeek) -> Int? {
        let now = limit(at: minute)
        let changes = windows.flatMap(\.edges).filter { $0 != minute && limit(at: $0) != now }
        return changes.map { minute.minutes(until: $0) }.min()
    }

    /// The instant at which the limit is another, given how far clocks stand ahead of UTC; nil when it never is.
    ///
    /// Where the offset changes in between (daylight saving time), ask again once it has.
    public func nextChange(after instant: Timestamp, utcOffsetMinutes: Int) -> Timestamp? {
        let minute = MinuteOfWeek(instant, utcOffsetMinutes: utcOffsetMinutes)
        guard let minutes = minutesToChange(after: minute) else { return nil }
        let intoMinute = instant.milliseconds % 60_000
        let beginOfMinute = instant - .milliseconds(intoMinute < 0 ? intoMinute + 60_000 : intoMinute)
        return beginOfMinute + .seconds(60 * minutes)
    }
}
