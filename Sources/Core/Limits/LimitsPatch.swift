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
