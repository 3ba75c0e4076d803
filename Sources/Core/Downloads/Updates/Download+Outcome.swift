extension Download {
    /// The end of an attempt.
    ///
    /// - Parameter madeProgress: Whether the attempt made bytes durable, which resets the back-off.
    /// - Returns: nil if the state does not allow the outcome.
    public func ending(
        with outcome: ClaimOutcome,
        madeProgress: Bool,
        at now: Timestamp
    ) -> DownloadUpdate? {
        guard var update = update(after: outcome.stateEvent) else { return nil }
        switch outcome {
        case .completed: update.complete()
        case .failed(let error):
            update.event = .downloadFailed
            let explained = error.explaining(keptFile)
            update.download.record(explained, isRetried: false, madeProgress: madeProgress, at: now)
            // The part file has no byte that a retry would use, but may hold space.
            if error == .quotaExceeded && progress.durableBytes == 0 { update.discardBytes() }
        case .deferred(let deferral): update.deferAttempt(deferral, of: self, madeProgress: madeProgress, at: now)
        case .urlRefreshed(let edit, let error, let until):
            update.event = .downloadRetrying
            update.download.times.nextAttemptAt = until
            update.download.applyRefreshedURL(edit, because: error, madeProgress: madeProgress, at: now)
        case .interrupted, .requeued:
            // Only an orderly stop resets them: a response of the origin does not prove that the next attempt will not
            // crash the process.
            update.download.attempts.forgetCrashes()
            if case .requeued(let cause) = outcome { (update.deferral, update.event) = (cause, .downloadWaiting) }
        }
        if phase == .publishing && update.bytes == .kept { update.bytes = .complete }
        return update
    }
}

extension ClaimOutcome {
    fileprivate var stateEvent: DownloadStateMachine.Event {
        switch self {
        case .completed: .completed
        case .failed: .failed
        case .deferred(let deferral): .deferred(deferral.reason)
        case .urlRefreshed(_, _, until: nil), .interrupted, .requeued: .interrupted
        case .urlRefreshed: .deferred(.retry)
        }
    }
}

extension DownloadUpdate {
    fileprivate mutating func complete() {
        event = .downloadCompleted
        bytes = .published
        download.error = nil
        download.keptFile = nil
        // No more requests to the origin will follow.
        download.forgetSecrets()
    }

    fileprivate mutating func deferAttempt(
        _ deferral: Deferral,
        of old: Download,
        madeProgress: Bool,
        at now: Timestamp
    ) {
        event = deferral.event
        download.times.nextAttemptAt = deferral.until
        guard let error = deferral.error else {
            if madeProgress { download.attempts.recordProgress() }
            return
        }
        // The service does not retry a download that waits for `resume`.
        download.record(error, isRetried: deferral.reason != .resume, madeProgress: madeProgress, at: now)
        download.attempts.suspectResponses = deferral.isSuspect ? old.attempts.suspectResponses + 1 : 0
        guard deferral.startsOver else { return }
        startOver(because: error.code.rawValue)
        download.file = nil
    }
}

extension Deferral {
    fileprivate var event: EventType {
        if error == nil { return .downloadWaiting }
        switch reason {
        case .retry, .host, .schedule: return .downloadRetrying
        case .space, .io, .credentials, .resume: return .downloadWaiting
        }
    }
}

extension DownloadError {
    /// The error of a run that has failed, with a sentence about the file that an earlier run left.
    fileprivate func explaining(_ keptFile: PublishedFile?) -> Self {
        guard let keptFile else { return self }
        return Self(
            code,
            message: "\(message) The file of the earlier run is still at '\(keptFile.path)'.",
            httpStatus: httpStatus,
            curlCode: curlCode
        )
    }
}

extension Download {
    /// Continues with another URL. The refusal of the old URL is not a failure of the download.
    fileprivate mutating func applyRefreshedURL(
        _ edit: DownloadEdit,
        because failure: DownloadError,
        madeProgress: Bool,
        at now: Timestamp
    ) {
        edit.apply(to: &request)
        if madeProgress { attempts.recordProgress() }
        attempts.urlRefreshes += 1
        // Counters of consecutive failures and responses apply to one URL only.
        attempts.sameFailures = 0
        attempts.suspectResponses = 0
        error = DownloadFailure(error: failure, isRetried: true, attempt: attempts.count, at: now)
    }

    /// Records a failed attempt.
    fileprivate mutating func record(
        _ failure: DownloadError,
        isRetried: Bool,
        madeProgress: Bool,
        at now: Timestamp
    ) {
        attempts.record(failure.code, after: error?.error.code, madeProgress: madeProgress)
        error = DownloadFailure(error: failure, isRetried: isRetried, attempt: attempts.count, at: now)
    }
}
