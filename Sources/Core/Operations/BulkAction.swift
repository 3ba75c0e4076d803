/// The action of an operation on each of its downloads.
public enum BulkAction: String, CaseIterable, Hashable, Sendable {
    case pause, resume, cancel, retry, delete

    /// The action on one download; nil for a deletion.
    public var downloadAction: DownloadAction? {
        switch self {
        case .pause: .pause
        case .resume: .resume
        case .cancel: .cancel
        case .retry: .retry
        case .delete: nil
        }
    }

    /// Whether the action can change or refuse a download in this state. Other downloads are only counted.
    ///
    /// - Parameter forces: Whether a retry fetches the files of completed downloads again.
    public func concerns(_ state: DownloadState, forces: Bool = false) -> Bool {
        switch (self, state) {
        case (.pause, .queued), (.pause, .running), (.pause, .waiting): true
        case (.resume, .paused), (.resume, .waiting): true
        case (.cancel, .queued), (.cancel, .running), (.cancel, .waiting), (.cancel, .paused): true
        case (.retry, .failed), (.retry, .cancelled): true
        case (.retry, .completed): forces
        case (.delete, _): true
        case (_, .queued), (_, .running), (_, .waiting), (_, .paused), (_, .completed), (_, .failed), (_, .cancelled):
            false
        }
    }

    /// The effect of the action on a download.
    ///
    /// A download that waits for its `not_before` is not resumed, because it was not paused. Actions on sessions do the
    /// same.
    ///
    /// - Parameter forces: Whether a deletion cancels a download that has not ended, and a retry fetches the file of a
    ///   completed one again.
    public func effect(on download: Download, forces: Bool) -> BulkEffect {
        guard concerns(download.state, forces: forces) else { return .unchanged }
        switch self {
        case .resume: return download.waitingFor == .schedule ? .unchanged : .change
        case .pause, .cancel: return download.phase == .publishing ? .failure(.busy) : .change
        case .retry: return .change
        case .delete:
            if download.state.isTerminal { return .change }
            guard forces else { return .failure(.notTerminal) }
            return download.phase == .publishing ? .failure(.busy) : .change
        }
    }
}

/// The effect of an action on one download.
public enum BulkEffect: Hashable, Sendable {
    case change
    /// The download has ended, or has the state already.
    case unchanged
    case failure(BulkFailure.Reason)
}
