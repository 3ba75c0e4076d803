/// Which limit applies at which time of the week.
public struct RateSchedule: Hashable, Sendable {
    /// Where several contain an instant, the first one decides.
    public let windows: [RateWindow]

    public static let none = RateSchedule(windows: [])

    public init(windows: [RateWindow]) {
        self.windows = windows
    }

    /// The limit at a minute; nil outside all windows, where the ordinary limit applies.
    public func limit(at minute: MinuteOfWeek) -> RateLimit? {
        windows.first { $0.contains(minute) }?.limit
    }

    /// For how many minutes one window has decided at a minute, and in how many another one or none will; nil outside
    /// all windows, and where one decides the whole week.
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
