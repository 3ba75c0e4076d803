extension Download {
    /// The effect of an action that the state machine has allowed.
    ///
    /// - Parameters:
    ///   - machine: The state machine after the action.
    ///   - keepsPartial: For `cancel`: keeps the bytes for a later retry.
    ///   - timeLimit: The time limit of a new run if the client has set no deadline.
    public func update(
        by action: DownloadAction,
        to machine: DownloadStateMachine,
        keepsPartial: Bool,
        timeLimit: Duration,
        at now: Timestamp
    ) -> DownloadUpdate {
        var update = DownloadUpdate(self, event: action.event)
        update.download.adopt(machine)
        switch action {
        case .pause: break
        case .resume: update.download.resume(from: self)
        case .cancel:
            // The new epoch makes the claim of a worker stale, so that it writes no more rows. An epoch of 0 means that
            // there was none.
            if epoch > 0 { update.download.epoch += 1 }
            guard !keepsPartial else { break }
            update.discardBytes()
            // If only the flush of its folder failed, the file may already be published.
            if let file { update.removals.append(StorageTask(download: id, file)) }
        case .retry:
            if state == .completed { update.prepareAnotherFile() }
            update.download.beginRun(timeLimit: timeLimit, at: now)
        }
        return update
    }
}

extension DownloadAction {
    fileprivate var event: EventType {
        switch self {
        case .pause: .downloadPaused
        case .resume, .retry: .downloadResumed
        case .cancel: .downloadCancelled
        }
    }
}

extension DownloadUpdate {
    /// Prepares a completed download to be fetched again. Its file stays in its place.
    fileprivate mutating func prepareAnotherFile() {
        download.keepFile()
        _ = download.dropForgottenSecrets()
        discardBytes(leavesPart: false)
    }
}

extension Download {
    fileprivate mutating func resume(from old: Download) {
        // The refresh server may work again, and so may this service, so both counts start again.
        attempts.urlRefreshes = 0
        attempts.forgetCrashes()
        // A resume before `not_before_at` clears it.
        if old.waitingFor == .schedule { request.notBefore = nil }
    }

    /// Starts a new run with reset counters. The bytes are kept.
    fileprivate mutating func beginRun(timeLimit: Duration, at now: Timestamp) {
        run += 1
        attempts = Attempts()
        error = nil
        // With bytes, the complete file may already be published. Without bytes there is no file.
        if progress.durableBytes == 0 { file = nil }
        times.startedAt = nil
        times.progressedAt = now
        // A client's deadline that has passed would end the new run at once.
        if case .at(let deadline) = request.deadline, deadline > now { return }
        request.deadline = .serviceDefault
        times.deadlineAt = max(now, request.notBefore ?? now) + timeLimit
    }
}
