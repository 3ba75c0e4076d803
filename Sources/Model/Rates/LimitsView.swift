/// The limits on the rate as callers see them: what was said of them, and what holds of it now.
public struct LimitsView: Hashable, Sendable {
    /// A window of the schedule that holds in place of the ordinary limit.
    public struct Window: Hashable, Sendable {
        /// nil where it holds the whole week.
        public let since: Timestamp?
        public let until: Timestamp?
    }

    /// As the settings have them, and what clients put in their place.
    public let limits: ServiceLimits
    public let kept: KeptLimits
    /// What all downloads together may take now, in bytes per second; nil for no limit.
    public let bytesPerSecondNow: Int64?
    /// nil where no window of the schedule holds.
    public let window: Window?

    /// - Parameters:
    ///   - settings: The limits that the settings name.
    ///   - utcOffsetMinutes: How far the clocks on the wall stand ahead of UTC now.
    public init(settings: ServiceLimits, kept: KeptLimits, at now: Timestamp, utcOffsetMinutes: Int) {
        self.kept = kept
        limits = settings.replaced(by: kept.replacements)
        let minute = MinuteOfWeek(now, utcOffsetMinutes: utcOffsetMinutes)
        guard let limit = limits.schedule.limit(at: minute) else {
            (bytesPerSecondNow, window) = (limits.bytesPerSecond, nil)
            return
        }
        bytesPerSecondNow = limit.bytesPerSecond
        let span = limits.schedule.span(at: minute)
        let began = Timestamp(milliseconds: now.milliseconds - now.milliseconds % 60_000)
        window = Window(
            since: span.map { began + .seconds(-60 * $0.since) },
            until: span.map { began + .seconds(60 * $0.until) }
        )
    }
}
