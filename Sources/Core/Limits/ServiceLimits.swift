/// Rate limits of the service and of all hosts.
public struct ServiceLimits: Hashable, Sendable {
    /// Bytes per second of all downloads outside the windows of the schedule; nil for no limit.
    public var bytesPerSecond: Int64?
    /// Bytes per second of the downloads of one host and port; nil for no limit.
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

    /// The same, with the values that clients replaced.
    public func replaced(by replacements: Replacements) -> Self {
        Self(
            bytesPerSecond: replacements.bytesPerSecond.map(\.bytesPerSecond) ?? bytesPerSecond,
            bytesPerSecondPerHost: replacements.bytesPerSecondPerHost.map(\.bytesPerSecond) ?? bytesPerSecondPerHost,
            schedule: replacements.schedule ?? schedule
        )
    }

    /// The values of clients that replace settings; a nil member keeps the setting.
    public struct Replacements: Hashable, Sendable {
        public var bytesPerSecond: RateLimit?
        public var bytesPerSecondPerHost: RateLimit?
        public var schedule: RateSchedule?

        public init(
            bytesPerSecond: RateLimit? = nil,
            bytesPerSecondPerHost: RateLimit? = nil,
            schedule: RateSchedule? = nil
        ) {
            self.bytesPerSecond = bytesPerSecond
            self.bytesPerSecondPerHost = bytesPerSecondPerHost
            self.schedule = schedule
        }
    }
}

/// A limit that a window of a schedule or a client sets.
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

/// A client's change of the values that replace settings: a nil member stays, a cleared one is the setting again.
public struct LimitsPatch: Hashable, Sendable {
    public var bytesPerSecond: DownloadEdit.Change<RateLimit>?
    public var bytesPerSecondPerHost: DownloadEdit.Change<RateLimit>?
    public var schedule: DownloadEdit.Change<RateSchedule>?

    public init(
        bytesPerSecond: DownloadEdit.Change<RateLimit>? = nil,
        bytesPerSecondPerHost: DownloadEdit.Change<RateLimit>? = nil,
        schedule: DownloadEdit.Change<RateSchedule>? = nil
    ) {
        self.bytesPerSecond = bytesPerSecond
        self.bytesPerSecondPerHost = bytesPerSecondPerHost
        self.schedule = schedule
    }

    /// The values that replace settings afterwards.
    public func applied(to earlier: ServiceLimits.Replacements) -> ServiceLimits.Replacements {
        ServiceLimits.Replacements(
            bytesPerSecond: bytesPerSecond.map(\.value) ?? earlier.bytesPerSecond,
            bytesPerSecondPerHost: bytesPerSecondPerHost.map(\.value) ?? earlier.bytesPerSecondPerHost,
            schedule: schedule.map(\.value) ?? earlier.schedule
        )
    }
}

/// A client's change of the replaced limits.
public enum LimitsEdit: Hashable, Sendable {
    case merge(LimitsPatch)
    /// Removes the earlier values: an absent member is the setting again.
    case replace(ServiceLimits.Replacements)

    /// The values that replace settings afterwards.
    public func applied(to earlier: ServiceLimits.Replacements) -> ServiceLimits.Replacements {
        switch self {
        case .merge(let patch): patch.applied(to: earlier)
        case .replace(let replacements): replacements
        }
    }
}

/// The rate limits for callers: their sources, and what applies now.
public struct LimitsView: Hashable, Sendable {
    /// A window of the schedule that applies instead of the ordinary limit.
    public struct Window: Hashable, Sendable {
        /// nil if it applies the whole week.
        public let since: Timestamp?
        public let until: Timestamp?
    }

    /// The values of the settings, and those of clients that replace them.
    public let limits: ServiceLimits
    public let stored: StoredLimits
    /// Bytes per second of all downloads now; nil for no limit.
    public let bytesPerSecondNow: Int64?
    /// nil if no window applies.
    public let window: Window?

    /// - Parameters:
    ///   - settings: The limits that the settings name.
    ///   - utcOffsetMinutes: Local time minus UTC, now.
    public init(settings: ServiceLimits, stored: StoredLimits, at now: Timestamp, utcOffsetMinutes: Int) {
        self.stored = stored
        limits = settings.replaced(by: stored.replacements)
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

/// The rate limits of clients at one revision.
public struct StoredLimits: Hashable, Sendable {
    public var replacements: ServiceLimits.Replacements
    /// The limits of single hosts (`host:port`) that replace the common one, in bytes per second.
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
