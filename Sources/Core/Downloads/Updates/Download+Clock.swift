extension Download {
    /// The end of a wait: the download is queued.
    ///
    /// - Returns: nil if it does not wait.
    public func becomingDue() -> DownloadUpdate? { update(after: .due) }

    /// The failure of a download whose deadline has passed.
    ///
    /// - Returns: nil if its state has no deadline.
    public func missingDeadline(at now: Timestamp) -> DownloadUpdate? {
        let error = DownloadError(.deadlineExceeded, message: "The download did not complete before its deadline.")
        return update(after: .expired)?.failed(with: error, at: now)
    }

    /// The failure of a download that was chosen for a slot, but exceeds the quota of its session.
    ///
    /// - Returns: nil if it is not queued.
    public func exceedingQuota(at now: Timestamp) -> DownloadUpdate? {
        update(after: .claimed, .failed)?.failed(with: .quotaExceeded, at: now)
    }
}

extension DownloadUpdate {
    /// A failure that no attempt caused.
    fileprivate func failed(with error: DownloadError, at now: Timestamp) -> Self {
        var update = self
        update.event = .downloadFailed
        update.download.error = DownloadFailure(
            error: error,
            isRetried: false,
            attempt: download.attempts.count,
            at: now
        )
        return update
    }
}

extension Download {
    /// How a download continues after its process has ended.
    public enum Recovery: Hashable, Sendable {
        /// It was running at too many crashes, and waits for `resume` (docs/decisions/0027).
        case waiting(DownloadUpdate)
        /// It is queued, and resumes after its durable bytes.
        case queued(DownloadUpdate)
        /// It stays running. The process that takes it over must finish its publication.
        case publishing(Download)
    }

    /// Takes a running download from a process that has ended. The new epoch makes its claim stale.
    ///
    /// - Parameter isCrash: Whether the process ended without an orderly stop.
    /// - Returns: nil if it does not run.
    public func recovering(isCrash: Bool, at now: Timestamp) -> Recovery? {
        var taken = self
        taken.epoch += 1
        if isCrash, let crashes = taken.attempts.recordCrash() {
            let deferral = Deferral(reason: .resume, until: nil, error: .serviceCrashed(crashes))
            return taken.ending(with: .deferred(deferral), madeProgress: false, at: now).map(Recovery.waiting)
        }
        if phase == .publishing { return .publishing(taken) }
        // When the process ended is not known. It wrote this row last.
        let lastSeen = max(times.progressedAt, times.updatedAt)
        taken.times.progressedAt = times.progressedAt + max(now - lastSeen, .zero)
        return taken.update(after: .interrupted).map(Recovery.queued)
    }
}

extension DownloadError {
    fileprivate static func serviceCrashed(_ count: Int) -> Self {
        Self(
            .serviceCrashed,
            message: "The service ended unexpectedly \(count) times while this download ran. Resume it to try again."
        )
    }
}
