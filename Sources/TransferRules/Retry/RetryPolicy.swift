public import Core
public import HTTPFields

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
    /// The longest time that a `Retry-After` defers other downloads of the host: it may concern one file only.
    public var longestHold = HostWaitReason.longest

    /// Restarts because of a changed file after which the origin counts as unstable
    /// (``DownloadError/Code/originUnstable``).
    public static let maxRestarts = 3

    public init(maxAttempts: Int? = nil) {
        self.maxAttempts = maxAttempts
    }

    /// How long to wait before the next attempt: exponential back-off with full jitter, which spreads the clients
    /// of an origin that comes back over the whole window.
    ///
    /// - Parameters:
    ///   - attemptsWithoutProgress: 0 after an attempt that made progress, which is followed at once (``floor``).
    ///   - random: From 0 up to but not including 1; what lies outside counts as the nearest end.
    ///   - retryAfter: The origin's `Retry-After`, obeyed even if it is longer than ``cap``.
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
        case .credentials: history.hasDurableBytes ? .wait(for: .credentials) : .fail(failure.error)
        case .space: .wait(for: .space)
        case .io: .wait(for: .io)
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
            message: "The deadline is before the next attempt. The last attempt failed: \(error.message)",
            httpStatus: error.httpStatus,
            transportCode: error.transportCode
        )
    }
}

/// What follows a failed attempt.
public indirect enum RetryDecision: Hashable, Sendable {
    /// Try again when `after` has passed; `startsOver` asks for a plain request that discards the bytes.
    case retry(after: Duration, startsOver: Bool)
    /// Wait for other credentials or another URL, for space, or for the disk; the bytes are kept.
    case wait(for: WaitingFor)
    /// It has failed, for this reason.
    case fail(DownloadError)
}

/// How often, after what wait and for how long a kind of transient failure is tried again.
public struct RetryLimits: Hashable, Sendable {
    /// How many further tries follow failures of this kind in a row; nil when time alone bounds them.
    public let tries: Int?
    /// The least time before each further try.
    public let minimumDelay: Duration
    /// The time without progress after which it is permanent; nil for the policy's own.
    public let giveUpAfter: Duration?

    public init(tries: Int? = nil, minimumDelay: Duration = .zero, giveUpAfter: Duration? = nil) {
        self.tries = tries
        self.minimumDelay = minimumDelay
        self.giveUpAfter = giveUpAfter
    }

    /// Bounded by time alone: networks come back.
    public static let untilGivenUp = RetryLimits()
    /// A name that does not exist is mistyped more often than it is about to appear.
    public static let unknownName = RetryLimits(giveUpAfter: .seconds(3600))
    /// A file that is missing: mirrors may lag behind by minutes, so three tries are spread over ten of them.
    public static let notFound = RetryLimits(tries: 3, minimumDelay: .seconds(200))
    /// Something in between answers for the origin: a login page, a captive portal. Its user needs a while.
    public static let middlebox = RetryLimits(minimumDelay: .seconds(60))
    /// A web page where a file was, from the origin's own address.
    public static let unexpectedPage = RetryLimits(tries: 3, minimumDelay: .seconds(60))

    public static func tries(_ count: Int) -> RetryLimits { RetryLimits(tries: count) }
}

/// What has happened to a download before a retry is decided on.
public struct AttemptHistory: Hashable, Sendable {
    /// Attempts in a row without durable progress, with the failed one; 0 if it made progress.
    public var attemptsWithoutProgress: Int
    /// Failures with this very code that count together, the present one included; at least 1
    /// (``Download/Attempts/failures(with:)``).
    public var sameFailures: Int
    /// How long it has been tried without progress. Time spent paused, or waiting for space, io or credentials, does
    /// not count.
    public var timeWithoutProgress: Duration
    /// The time left until its deadline; nil when it has none.
    public var timeUntilDeadline: Duration?
    /// Whether any byte of it is durable.
    public var hasDurableBytes: Bool

    public init(
        attemptsWithoutProgress: Int,
        sameFailures: Int = 1,
        timeWithoutProgress: Duration = .zero,
        timeUntilDeadline: Duration? = nil,
        hasDurableBytes: Bool = false
    ) {
        self.attemptsWithoutProgress = attemptsWithoutProgress
        self.sameFailures = sameFailures
        self.timeWithoutProgress = timeWithoutProgress
        self.timeUntilDeadline = timeUntilDeadline
        self.hasDurableBytes = hasDurableBytes
    }
}
