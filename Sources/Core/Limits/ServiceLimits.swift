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
