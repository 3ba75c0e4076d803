/// What a user may ask of all downloads of a session at once. A retry is not among them: what failed, and what was
/// given up, is not always what is wanted again.
public enum SessionAction: String, CaseIterable, Hashable, Sendable {
    case pause, resume, cancel

    /// What is asked of each download.
    public var downloadAction: DownloadAction {
        switch self {
        case .pause: .pause
        case .resume: .resume
        case .cancel: .cancel
        }
    }

    /// Whether the action moves a download that stands in `state`.
    ///
    /// One that waits for its time is not let go on before it, as it would be if it were asked for alone: it was not
    /// paused. So a `resume` that is repeated changes nothing.
    public func moves(_ state: DownloadState, waitingFor reason: WaitingFor?) -> Bool {
        switch (self, state) {
        case (.pause, .queued), (.pause, .running), (.pause, .waiting): true
        case (.resume, .paused): true
        case (.resume, .waiting): reason != .schedule
        case (.cancel, .queued), (.cancel, .running), (.cancel, .waiting), (.cancel, .paused): true
        case (_, .queued), (_, .running), (_, .waiting), (_, .paused), (_, .completed), (_, .failed), (_, .cancelled):
            false
        }
    }
}
