public import Core
public import HTTPFields

/// Decides when a failed download is tried again and when it fails for good.
///
/// Most failures are limited by the time without progress, not by a count: during six hours of downtime an origin
/// receives about 150 requests for each download, and the download completes afterwards.
public struct RetryPolicy: Hashable, Sendable {
    /// Doubled n times, it is the backoff window after n attempts without progress.
    public var base: Duration = .seconds(1)
    /// The largest backoff window.
    public var cap: Duration = .seconds(300)
    /// The shortest delay. It is also the delay after an attempt with progress.
    public var floor: Duration = .milliseconds(250)
    /// The time without progress after which a download fails.
    public var giveUpAfter: Duration = .seconds(24 * 3600)
    /// The number of attempts without progress after which a download fails; nil for no limit.
    public var maxAttempts: Int?
    /// The number of retries if the origin does not have the file. The delay is that of ``RetryLimits/notFound``.
    public var notFoundRetries = 1
    /// The HTTP statuses that are retried until ``giveUpAfter``. See ``failureClass(of:)``.
    public var retryStatuses = HTTPStatuses.transient

    /// The number of restarts because of a changed file after which the download fails
    /// (``DownloadError/Code/originUnstable``).
    public static let maxRestarts = 3
    /// The number of complete files that a download fetches and rejects before it fails. A wrong digest has its own
    /// limit (``FailureClass``).
    public static let maxRejections = 3

    public init(maxAttempts: Int? = nil) {
        self.maxAttempts = maxAttempts
    }

    /// The delay before the next attempt: exponential backoff with full jitter. The jitter spreads the requests of many
    /// clients when an origin becomes available again.
    ///
    /// - Parameters:
    ///   - attemptsWithoutProgress: 0 after an attempt with progress; the delay is then ``floor``.
    ///   - random: From 0 up to but not including 1. A value outside is replaced by the nearest bound.
    ///   - retryAfter: The origin's `Retry-After`, which is obeyed even if it exceeds ``cap``.
    public func delay(attemptsWithoutProgress: Int, random: Double, retryAfter: RetryAfter? = nil) -> Duration {
        let jittered = attemptsWithoutProgress > 0 ? window(attemptsWithoutProgress) * random.clampedToUnit : .zero
        return max(max(floor, jittered), retryAfter?.delay ?? .zero)
    }

    /// `min(cap, base * 2^attempts)`, computed without overflow.
    private func window(_ attempts: Int) -> Duration {
        var window = min(base, cap)
        guard window > .zero else { return .zero }
        for _ in 0..<max(attempts, 0) where window < cap {
            window = window > cap / 2 ? cap : window * 2
            if window >= cap { return cap }
        }
        return window
    }

    /// Decides how a download continues after a failed attempt.
    public func decide(_ failure: TransferFailure, history: AttemptHistory, random: Double) -> RetryDecision {
        switch failureClass(of: failure) {
        case .permanent: .fail(failure.error)
        case .credentials: history.hasDurableBytes ? .wait(for: .credentials) : .fail(failure.error)
        case .space: .wait(for: .space)
        case .io: .wait(for: .io)
        case .transient(let limits):
            retry(failure, limits: replaced(limits), startsOver: false, history: history, random: random)
        case .startOver(let retries):
            retry(failure, limits: .retries(retries), startsOver: true, history: history, random: random)
        }
    }

    /// The class of a failure by ``retryStatuses``.
    ///
    /// A listed status is transient, whatever it means otherwise. One of ``HTTPStatuses/transient`` that is not listed
    /// is treated like the statuses that are unknown: 5xx is retried twice, 4xx not at all.
    private func failureClass(of failure: TransferFailure) -> FailureClass {
        guard let status = failure.error.httpStatus, failure.failureClass == failure.error.failureClass else {
            return failure.failureClass
        }
        switch failure.error.code {
        case .authRequired, .fileNotFound, .httpClientError, .httpServerError: break
        default: return failure.failureClass
        }
        if retryStatuses.contains(status) { return .transient(.untilGivenUp) }
        guard HTTPStatuses.transient.contains(status) else { return failure.failureClass }
        return status >= 500 ? .transient(.retries(2)) : .permanent
    }

    /// The policy with the choices of a request in place of the settings.
    public func applying(_ request: DownloadRequest) -> Self {
        var policy = self
        policy.maxAttempts = request.maxAttempts
        policy.giveUpAfter = request.retry.giveUpAfter?.duration ?? giveUpAfter
        policy.base = request.retry.delay?.duration ?? base
        policy.cap = max(request.retry.maxDelay?.duration ?? cap, policy.base)
        policy.retryStatuses = request.retry.statuses ?? retryStatuses
        return policy
    }

    /// The limits with the setting in place of its default.
    private func replaced(_ limits: RetryLimits) -> RetryLimits {
        guard limits == .notFound else { return limits }
        return RetryLimits(retries: notFoundRetries, minimumDelay: limits.minimumDelay)
    }

    private func retry(
        _ failure: TransferFailure,
        limits: RetryLimits,
        startsOver: Bool,
        history: AttemptHistory,
        random: Double
    ) -> RetryDecision {
        let attempts = history.attemptsWithoutProgress
        let isExhausted =
            limits.retries.map { history.sameFailures > $0 } ?? false
            || maxAttempts.map { attempts >= $0 } ?? false
            || history.timeWithoutProgress >= min(limits.giveUpAfter ?? giveUpAfter, giveUpAfter)
        if isExhausted { return .fail(failure.error) }

        let jittered = delay(attemptsWithoutProgress: attempts, random: random, retryAfter: failure.retryAfter)
        let wait = max(jittered, limits.minimumDelay)
        if let left = history.timeUntilDeadline, wait >= left {
            return .fail(Self.deadlineExceeded(after: failure.error))
        }
        return .retry(after: wait, startsOver: startsOver)
    }

    /// The error if the deadline is before the next attempt. It keeps the message and the codes of the last failure.
    private static func deadlineExceeded(after error: DownloadError) -> DownloadError {
        DownloadError(
            .deadlineExceeded,
            message: "The deadline is before the next attempt. The last attempt failed: \(error.message)",
            httpStatus: error.httpStatus,
            curlCode: error.curlCode
        )
    }
}

/// How a download continues after a failed attempt.
public indirect enum RetryDecision: Hashable, Sendable {
    /// Try again after the delay. With `startsOver` the next request is plain and the stored bytes are discarded.
    case retry(after: Duration, startsOver: Bool)
    /// Wait for other credentials or another URL, for space, or for the disk. The bytes are kept.
    case wait(for: WaitingFor)
    /// Fail with this error.
    case fail(DownloadError)
}
