import Core
import Linux
import TransferRules

/// Decides when `get` retries: like the service, except that a person waits at the terminal.
struct GetRetryPolicy: Sendable {
    private let policy: RetryPolicy
    private let random: @Sendable () -> Double

    /// - Parameters:
    ///   - retryFor: The time without progress after which it gives up.
    ///   - random: Returns a random number, at least 0 and less than 1.
    init(retryFor: Duration, random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }) {
        var policy = RetryPolicy()
        policy.giveUpAfter = retryFor
        policy.cap = .seconds(60)
        self.policy = policy
        self.random = random
    }

    /// - Returns: Never `wait`: the person who can help reads the error message.
    func decide(
        _ failure: TransferFailure,
        _ history: GetHistory,
        hasDurableBytes: Bool,
        now: Timestamp
    ) -> RetryDecision {
        if !hasDurableBytes && failure.isMistyped { return .fail(failure.error) }
        let timeWithoutProgress = history.timeWithoutProgress(at: now)
        let decision = policy.decide(
            failure,
            history: AttemptHistory(
                attemptsWithoutProgress: history.attempts.withoutProgress,
                sameFailures: history.attempts.failures(with: failure.error.code),
                timeWithoutProgress: timeWithoutProgress,
                hasDurableBytes: hasDurableBytes
            ),
            random: random()
        )
        switch decision {
        case .fail: return decision
        case .retry(_, let startsOver):
            // The policy retries some failures for longer than `retryFor`.
            return timeWithoutProgress < policy.giveUpAfter || startsOver ? decision : .fail(failure.error)
        case .wait: return .fail(failure.error)
        }
    }
}

extension TransferFailure {
    /// Whether a retry is useless before the first byte: the file or the host name does not exist.
    fileprivate var isMistyped: Bool {
        switch failureClass {
        case .transient(let limits): limits == .notFound || limits == .unknownName
        case .startOver, .credentials, .space, .io, .permanent: false
        }
    }
}
