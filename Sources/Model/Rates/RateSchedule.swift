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
}
