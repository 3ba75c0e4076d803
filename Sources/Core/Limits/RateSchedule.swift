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
