/// When a failed download is tried again, and when no more.
///
/// Most failures are bounded by time without progress, not by a count: an origin that is down for six hours costs a
/// few dozen requests, and the download then completes.
public struct RetryPolicy: Hashable, Sendable {
    /// The window of the first back-off.
    public var base: Duration = .seconds(1)
    /// The widest window.
    public var cap: Duration = .seconds(300)
    /// The shortest delay, which is also that after progress.
    public var floor: Duration = .milliseconds(250)
    /// The time without progress after which a download fails.
    public var giveUpAfter: Duration = .seconds(24 * 3600)
    /// Attempts without progress after which a download fails; nil for no such bound.
    public var maxAttempts: Int?
    /// The longest that a `Retry-After` keeps a host's other downloads waiting: one answer may speak of one file.
    public var longestHold = HostHold.longest

    /// Restarts because of a changed file after which the origin counts as unstable
    /// (``DownloadError/Code/originUnstable``).
    public static let maxRestarts = 3
    /// How soon a disk that was full, or did not work, is tried again.
    public static let diskRetryInterval = Duration.seconds(30)

    public init(maxAttempts: Int? = nil) {
        self.maxAttempts = maxAttempts
    }

    /// How long to wait before the next attempt: exponential back-off with full jitter, which spreads the clients
    /// of an origin that comes back over the whole window.
    ///
    /// - Parameters:
    ///   - attemptsWithoutProgress: 0 after an attempt that made progress, which is followed at once (``floor``).
    ///   - random: From 0 up to but not including 1; what lies outside counts as the nearest end.
    ///   - retryAfter: The origin's own wish, obeyed even where it is longer than ``cap``.
    public func delay(attemptsWithoutProgress: Int, random: Double, retryAfter: RetryAfter? = nil) -> Duration {
        let jittered = attemptsWithoutProgress > 0 ? window(attemptsWithoutProgress) * random.clampedToUnit : .zero
        return max(max(floor, jittered), retryAfter?.delay ?? .zero)
    }

    /// `min(cap, base * 2^n)`, without ever computing a power that could overflow.
    private func window(_ attempts: Int) -> Duration {
        var window = min(base, cap)
        guard window > .zero else { return .zero }
        for _ in 0..<max(attempts, 0) where window < cap {
            window = window > cap / 2 ? cap : window * 2
            if window >= cap { return cap }
        }
        return window
    }

    /// Decides about a download whose attempt failed.
    public func decide(_ failure: TransferFailure, history: AttemptHistory, random: Double) -> RetryDecision {
        switch failure.failureClass {
        case .permanent: .fail(failure.error)
        case .credentials: history.hasDurableBytes ? .waitForCredentials : .fail(failure.error)
        case .space: .waitForSpace
        case .io: .waitForIO
        case .transient(let limits):
            retry(failure, limits: limits, startsOver: false, history: history, random: random)
        case .startOver(let tries):
            retry(failure, limits: .tries(tries), startsOver: true, history: history, random: random)
        }
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
            limits.tries.map { history.sameFailures > $0 } ?? false
            || maxAttempts.map { attempts >= $0 } ?? false
            || history.timeWithoutProgress >= limits.giveUpAfter ?? giveUpAfter
        if isExhausted { return .fail(failure.error) }

        let jittered = delay(attemptsWithoutProgress: attempts, random: random, retryAfter: failure.retryAfter)
        let wait = max(jittered, limits.minimumDelay)
        if let left = history.timeUntilDeadline, wait >= left {
            return .fail(Self.deadlineExceeded(after: failure.error))
        }
        return .retry(after: wait, startsOver: startsOver)
    }

    /// The error of a download whose next attempt would come too late; it keeps what is known of the cause.
    private static func deadlineExceeded(after error: DownloadError) -> DownloadError {
        DownloadError(
            .deadlineExceeded,
            message: "The deadline comes before the next attempt. The last one failed: \(error.message)",
            httpStatus: error.httpStatus,
            transportCode: error.transportCode
        )
    }
}
