/// The states in which a client cannot change a member.
public enum MemberLock: Hashable, Sendable {
    case never
    /// A worker uses the value, or has used it for the file.
    case inUse
    /// The run has ended.
    case afterRun
    /// The download runs, or its run has ended.
    case runningOrEnded
    /// The file is complete.
    case afterCompletion

    public func applies(in state: DownloadState) -> Bool {
        switch (self, state) {
        case (.never, _), (_, .queued), (_, .waiting), (_, .paused): false
        case (.inUse, _): state == .running || state == .completed
        case (.afterRun, _): state != .running
        case (.runningOrEnded, _): true
        case (.afterCompletion, _): state == .completed
        }
    }
}
