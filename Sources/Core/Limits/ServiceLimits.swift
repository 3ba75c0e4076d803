/// The rate limits of the service and of each host.
public struct ServiceLimits: Hashable, Sendable {
    /// Whether all downloads are paused, regardless of the schedule.
    public var isPaused: Bool
    /// The limit for all downloads outside the windows of the schedule, in bytes per second; nil for no limit.
    public var bytesPerSecond: Int64?
    /// The limit for the downloads of one host and port, in bytes per second; nil for no limit.
    public var bytesPerSecondPerHost: Int64?
    public var schedule: RateSchedule

    public init(
        isPaused: Bool = false,
        bytesPerSecond: Int64? = nil,
        bytesPerSecondPerHost: Int64? = nil,
        schedule: RateSchedule = .none
    ) {
        self.isPaused = isPaused
        self.bytesPerSecond = bytesPerSecond
        self.bytesPerSecondPerHost = bytesPerSecondPerHost
        self.schedule = schedule
    }

    /// These limits, with the values that clients have replaced.
    public func replaced(by replacements: Replacements) -> Self {
        Self(
            isPaused: replacements.isPaused ?? isPaused,
            bytesPerSecond: replacements.bytesPerSecond.map(\.bytesPerSecond) ?? bytesPerSecond,
            bytesPerSecondPerHost: replacements.bytesPerSecondPerHost.map(\.bytesPerSecond) ?? bytesPerSecondPerHost,
            schedule: replacements.schedule ?? schedule
        )
    }

    /// Limits that clients set in place of the settings. A nil member means the setting.
    public struct Replacements: Hashable, Sendable {
        public var isPaused: Bool?
        public var bytesPerSecond: RateLimit?
        public var bytesPerSecondPerHost: RateLimit?
        public var schedule: RateSchedule?

        public init(
            isPaused: Bool? = nil,
            bytesPerSecond: RateLimit? = nil,
            bytesPerSecondPerHost: RateLimit? = nil,
            schedule: RateSchedule? = nil
        ) {
            self.isPaused = isPaused
            self.bytesPerSecond = bytesPerSecond
            self.bytesPerSecondPerHost = bytesPerSecondPerHost
            self.schedule = schedule
        }
    }
}

/// The rate limit of a window, or of a client.
public enum RateLimit: Hashable, Sendable {
    case unlimited
    /// At least 1.
    case bytesPerSecond(Int64)
    /// All downloads are paused.
    case paused

    /// - Parameter bytesPerSecond: nil for no limit.
    public init(bytesPerSecond: Int64?) {
        self = bytesPerSecond.map { .bytesPerSecond(max($0, 1)) } ?? .unlimited
    }

    /// In bytes per second; nil for no limit.
    public var bytesPerSecond: Int64? {
        switch self {
        case .unlimited, .paused: nil
        case .bytesPerSecond(let rate): rate
        }
    }
}

/// A client's change of the replacements. A nil member keeps its value, a cleared one means the setting again.
public struct LimitsPatch: Hashable, Sendable {
    public var isPaused: DownloadEdit.Change<Bool>?
    public var bytesPerSecond: DownloadEdit.Change<RateLimit>?
    public var bytesPerSecondPerHost: DownloadEdit.Change<RateLimit>?
    public var schedule: DownloadEdit.Change<RateSchedule>?

    public init(
        isPaused: DownloadEdit.Change<Bool>? = nil,
        bytesPerSecond: DownloadEdit.Change<RateLimit>? = nil,
        bytesPerSecondPerHost: DownloadEdit.Change<RateLimit>? = nil,
        schedule: DownloadEdit.Change<RateSchedule>? = nil
    ) {
        self.isPaused = isPaused
        self.bytesPerSecond = bytesPerSecond
        self.bytesPerSecondPerHost = bytesPerSecondPerHost
        self.schedule = schedule
    }

    /// The replacements after the change.
    public func applied(to earlier: ServiceLimits.Replacements) -> ServiceLimits.Replacements {
        ServiceLimits.Replacements(
            isPaused: isPaused.map(\.value) ?? earlier.isPaused,
            bytesPerSecond: bytesPerSecond.map(\.value) ?? earlier.bytesPerSecond,
            bytesPerSecondPerHost: bytesPerSecondPerHost.map(\.value) ?? earlier.bytesPerSecondPerHost,
            schedule: schedule.map(\.value) ?? earlier.schedule
        )
    }
}

/// A client's change of some replacements, or of all.
public enum LimitsEdit: Hashable, Sendable {
    case merge(LimitsPatch)
    /// Removes the earlier replacements: a nil member means the setting again.
    case replace(ServiceLimits.Replacements)

    /// The replacements after the change.
    public func applied(to earlier: ServiceLimits.Replacements) -> ServiceLimits.Replacements {
        switch self {
        case .merge(let patch): patch.applied(to: earlier)
        case .replace(let replacements): replacements
        }
    }
}

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

/// The rate limits that clients have set.
public struct StoredLimits: Hashable, Sendable {
    public var replacements: ServiceLimits.Replacements
    /// The limits of single hosts (`host:port`) in place of the common one, in bytes per second.
    public var hosts: [String: Int64]
    /// Counts all changes, including those of hosts; 0 before the first one.
    public var revision: Int64
    public var changedAt: Timestamp?

    public init(
        replacements: ServiceLimits.Replacements = .init(),
        hosts: [String: Int64] = [:],
        revision: Int64 = 0,
        changedAt: Timestamp? = nil
    ) {
        self.replacements = replacements
        self.hosts = hosts
        self.revision = revision
        self.changedAt = changedAt
    }
}
