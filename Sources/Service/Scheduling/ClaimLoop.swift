public import Core
public import Logging
import Store

/// Runs claims one after the other. A call during a claim causes one more claim after it, so that nothing is missed and
/// no two claims overlap.
public actor ClaimLoop {
    private let claim: @Sendable () async -> Void
    private var isClaiming = false
    private var mustClaimAgain = false
    private var isStopped = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameter claim: Asks the store for work, and hands it on.
    public init(claim: @escaping @Sendable () async -> Void) {
        self.claim = claim
    }

    /// Claims until no further call has come since the last claim began.
    public func run() async {
        mustClaimAgain = true
        guard !isClaiming else { return }
        isClaiming = true
        while mustClaimAgain && !isStopped {
            mustClaimAgain = false
            await claim()
        }
        isClaiming = false
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    /// Starts no further claim, and waits for the end of the current one.
    public func stop() async {
        isStopped = true
        guard isClaiming else { return }
        await withCheckedContinuation { waiting.append($0) }
    }
}

/// Fires once, at the earliest of the instants that it is set for, and forgets the others. Its owner then looks up what
/// is due next.
public actor WakeUpTimer {
    private let time: TimeSource
    private let onTimer: @Sendable () async -> Void
    private var due: Timestamp?
    private var timer: Task<Void, Never>?
    private var isStopped = false

    /// It rings too early rather than too late: a change of the wall clock is noticed within this time.
    private static let longestSleep = Duration.seconds(60)

    public init(time: TimeSource, onTimer: @escaping @Sendable () async -> Void) {
        self.time = time
        self.onTimer = onTimer
    }

    /// Rings at `instant`, or sooner if that is planned already.
    public func set(for instant: Timestamp) {
        if isStopped { return }
        if let due, due <= instant { return }
        timer?.cancel()
        due = instant
        let wait = min(max(instant - time.now, .zero), Self.longestSleep)
        timer = Task { [time] in
            guard (try? await time.sleep(for: wait)) != nil else { return }
            await fire()
        }
    }

    /// Rings no more.
    public func stop() {
        isStopped = true
        timer?.cancel()
    }

    private func fire() async {
        // An earlier instant took its place while it woke.
        if Task.isCancelled { return }
        (due, timer) = (nil, nil)
        await onTimer()
    }
}

/// Records the outcome of a claim, and repeats that until the store accepts it. An outcome that is lost would leave the
/// work without a worker, or have it done twice.
///
/// The store reports a claim that was lost meanwhile (``FencedResult``).
public struct OutcomeRecorder: Sendable {
    private let time: TimeSource
    private let logger: Logger

    public init(time: TimeSource, logger: Logger) {
        self.time = time
        self.logger = logger
    }

    /// Calls `write` until it succeeds; once, at least, however often the task was cancelled.
    ///
    /// - Parameter what: What is settled, for the log.
    /// - Returns: nil where the task was cancelled or the store writes nothing more. What was claimed stays so, and the
    ///   next start takes it over.
    public func record<Value>(_ what: Logger.Metadata, _ write: () async throws -> Value) async -> Value? {
        var interval = StoreRetry.firstInterval
        while true {
            do {
                return try await write()
            } catch {
                let failure = error as? StoreError
                let isFinal = failure == .closed || failure?.endsService == true
                logger.error(
                    "outcome not recorded\(isFinal ? "" : ", to be retried")",
                    metadata: what.merging(["error": "\(error)"]) { $1 }
                )
                guard !isFinal, (try? await time.sleep(for: interval)) != nil else { return nil }
                interval = min(interval * 2, StoreRetry.longestInterval)
            }
        }
    }
}

/// How soon a store that failed is asked again.
public enum StoreRetry {
    /// After the first failure in a row. It is short, because a disk may be full only for a moment.
    public static let firstInterval = Duration.seconds(1)
    /// However many there were.
    public static let longestInterval = Duration.seconds(60)
}
