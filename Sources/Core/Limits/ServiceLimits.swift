/// The limits on the rate that are not those of one session or download.
public struct ServiceLimits: Hashable, Sendable {
    /// What all downloads together take outside the windows of the schedule, in bytes per second; nil for no limit.
    public var bytesPerSecond: Int64?
    /// What the downloads of one host and port together take, in bytes per second; nil for no limit.
    public var bytesPerSecondPerHost: Int64?
    public var schedule: RateSchedule

    public init(
        bytesPerSecond: Int64? = nil,
        bytesPerSecondPerHost: Int64? = nil,
        schedule: RateSchedule = .none
    ) {
        self.bytesPerSecond = bytesPerSecond
        self.bytesPerSecondPerHost = bytesPerSecondPerHost
        self.schedule = schedule
    }

    /// The same, but for what clients put in the place of some.
    public func replaced(by replacements: Replacements) -> Self {
        Self(
            bytesPerSecond: replacements.bytesPerSecond.map(\.value) ?? bytesPerSecond,
            bytesPerSecondPerHost: replacements.bytesPerSecondPerHost.map(\.value) ?? bytesPerSecondPerHost,
            schedule: replacements.schedule ?? schedule
        )
    }

    /// What clients put in the place of the settings; a member that is nil leaves the setting as it is.
    public struct Replacements: Hashable, Sendable {
        public var bytesPerSecond: DownloadEdit.Change<Int64>?
        public var bytesPerSecondPerHost: DownloadEdit.Change<Int64>?
        public var schedule: RateSchedule?

        public init(
            bytesPerSecond: DownloadEdit.Change<Int64>? = nil,
            bytesPerSecondPerHost: DownloadEdit.Change<Int64>? = nil,
            schedule: RateSchedule? = nil
        ) {
            self.bytesPerSecond = bytesPerSecond
            self.bytesPerSecondPerHost = bytesPerSecondPerHost
            self.schedule = schedule
        }

        /// These, and for what they leave as it is the earlier ones.
        public func added(to earlier: Self) -> Self {
            Self(
                bytesPerSecond: bytesPerSecond ?? earlier.bytesPerSecond,
                bytesPerSecondPerHost: bytesPerSecondPerHost ?? earlier.bytesPerSecondPerHost,
                schedule: schedule ?? earlier.schedule
            )
        }
    }
}

/// What a window of a schedule allows.
public enum RateLimit: Hashable, Sendable {
    case unlimited
    /// At least 1.
    case bytesPerSecond(Int64)

    /// - Parameter bytesPerSecond: nil for no limit.
    public init(bytesPerSecond: Int64?) {
        self = bytesPerSecond.map { .bytesPerSecond(max($0, 1)) } ?? .unlimited
    }

    /// nil for no limit.
    public var bytesPerSecond: Int64? {
        switch self {
        case .unlimited: nil
        case .bytesPerSecond(let rate): rate
        }
    }
}

/// What a client does to the limits that stand in the place of settings.
public enum LimitsEdit: Hashable, Sendable {
    /// Those that are named come beside those that are there already.
    case merge(ServiceLimits.Replacements)
    /// What was said before is forgotten: where none is named, the setting holds again.
    case replace(ServiceLimits.Replacements)

    /// What stands in the place of settings afterwards.
    public func applied(to earlier: ServiceLimits.Replacements) -> ServiceLimits.Replacements {
        switch self {
        case .merge(let replacements): replacements.added(to: earlier)
        case .replace(let replacements): replacements
        }
    }
}

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
    public let kept: StoredLimits
    /// What all downloads together may take now, in bytes per second; nil for no limit.
    public let bytesPerSecondNow: Int64?
    /// nil where no window of the schedule holds.
    public let window: Window?

    /// - Parameters:
    ///   - settings: The limits that the settings name.
    ///   - utcOffsetMinutes: How far the clocks on the wall stand ahead of UTC now.
    public init(settings: ServiceLimits, kept: StoredLimits, at now: Timestamp, utcOffsetMinutes: Int) {
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

/// What clients said of the limits on the rate, all of it as one revision has it.
public struct StoredLimits: Hashable, Sendable {
    public var replacements: ServiceLimits.Replacements
    /// The limits that single hosts (`host:port`) have in place of the common one, in bytes per second.
    public var hosts: [String: Int64]
    /// Counts changes, those of hosts too; 0 before the first.
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
