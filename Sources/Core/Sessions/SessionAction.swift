/// An action on all downloads of a session. There is no retry, because clients do not always need all failed and
/// cancelled downloads again.
public enum SessionAction: String, CaseIterable, Hashable, Sendable {
    case pause, resume, cancel

    /// The corresponding action on each download.
    public var downloadAction: DownloadAction {
        switch self {
        case .pause: .pause
        case .resume: .resume
        case .cancel: .cancel
        }
    }

    /// Whether the action changes a download in `state`.
    ///
    /// `resume` does not affect a download that waits for its `not_before_at`, because that download was not paused; a
    /// `PATCH` of the download itself does. So a repeated `resume` changes nothing.
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
