import Core
import TransferRules

/// What a worker tells the rules of retries, and what their decision means for the claim.
extension AttemptHistory {
    init(_ download: Download, _ failure: TransferFailure, madeProgress: Bool, now: Timestamp) {
        var attempts = download.attempts
        attempts.record(failure.error.code, after: download.error?.error.code, madeProgress: madeProgress)
        self.init(
            attemptsWithoutProgress: attempts.withoutProgress,
            sameFailures: attempts.failures(with: failure.error.code),
            timeWithoutProgress: madeProgress ? .zero : max(now - download.times.progressedAt, .zero),
            timeUntilDeadline: download.times.deadlineAt - now,
            hasDurableBytes: madeProgress || download.progress.durableBytes > 0
        )
    }
}

extension ClaimOutcome {
    init(_ decision: RetryDecision, _ failure: TransferFailure, now: Timestamp) {
        switch decision {
        case .fail(let error):
            self = .failed(error)
        case .retry(let delay, let startsOver):
            let reason = failure.retryAfter == nil ? WaitingFor.retry : .host
            self = .deferred(
                Deferral(
                    reason: reason,
                    until: now + delay,
                    error: failure.error,
                    startsOver: startsOver,
                    isSuspect: failure.isSuspect
                )
            )
        case .wait(let reason):
            // Only a client can end the wait for credentials. A disk is checked regularly.
            let until = reason == .credentials ? nil : now + WaitingFor.diskRetryInterval
            self = .deferred(Deferral(reason: reason, until: until, error: failure.error))
        }
    }
}
