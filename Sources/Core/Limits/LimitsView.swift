/// The rate limits as shown to users: where they come from, and which apply now.
public struct LimitsView: Hashable, Sendable {
    /// A window of the schedule that applies now.
    public struct Window: Hashable, Sendable {
        /// nil if the window applies all week.
        public let since: Timestamp?
        public let until: Timestamp?
    }

    /// The limits in effect: the settings with the replacements of clients.
    public let limits: ServiceLimits
    public let stored: StoredLimits
    /// The present limit for all downloads, in bytes per second; nil for no limit.
    public let bytesPerSecondNow: Int64?
    /// Whether all downloads are paused now.
    public let isPausedNow: Bool
    /// The present window; nil if none applies.
    public let window: Window?
    /// Local time minus UTC: the schedule is in local time.
    public let utcOffsetMinutes: Int

    /// - Parameters:
    ///   - settings: The limits in the settings.
    ///   - utcOffsetMinutes: Local time minus UTC at `now`.
    public init(settings: ServiceLimits, stored: StoredLimits, at now: Timestamp, utcOffsetMinutes: Int) {
        self.stored = stored
        self.utcOffsetMinutes = utcOffsetMinutes
        limits = settings.replaced(by: stored.replacements)
        let minute = MinuteOfWeek(now, utcOffsetMinutes: utcOffsetMinutes)
        guard let limit = limits.schedule.limit(at: minute) else {
            (bytesPerSecondNow, isPausedNow, window) = (limits.bytesPerSecond, limits.isPaused, nil)
            return
        }
        bytesPerSecondNow = limit.bytesPerSecond
        isPausedNow = limits.isPaused || limit == .paused
        let span = limits.schedule.span(at: minute)
        let began = Timestamp(milliseconds: now.milliseconds - now.milliseconds % 60_000)
        window = Window(
            since: span.map { began + .seconds(-60 * $0.since) },
            until: span.map { began + .seconds(60 * $0.until) }
        )
    }
}

extension LimitsView {
    /// The pause of all downloads; nil if they can run now. Its end is known only if a window of the schedule is the
    /// cause.
    public var pause: QueueDeferral? {
        isPausedNow ? .pause(until: limits.isPaused ? nil : window?.until) : nil
    }
}
