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
