public import Core
public import Logging
import Store

/// Runs claims one after another. A call during a claim causes one more claim after it, so that nothing is missed and
/// no two claims overlap.
public actor ClaimLoop {
    private let claim: @Sendable () async -> Void
    private var isClaiming = false
    private var mustClaimAgain = false
    private var isStopped = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameter claim: Claims work from the store, and starts it.
    public init(claim: @escaping @Sendable () async -> Void) {
        self.claim = claim
    }

    /// Claims until no further call has arrived since the last claim started.
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

    /// Starts no further claim, and waits for the current one to end.
    public func stop() async {
        isStopped = true
        guard isClaiming else { return }
        await withCheckedContinuation { waiting.append($0) }
    }
}

/// Fires once, at the earliest instant that was set, and discards the others. Its owner then sets the next one.
public actor WakeUpTimer {
    private let time: TimeSource
    private let onTimer: @Sendable () async -> Void
    private var due: Timestamp?
    private var timer: Task<Void, Never>?
    private var isStopped = false

    /// The timer fires early rather than late: a change of the wall clock is noticed within this time.
    private static let longestSleep = Duration.seconds(60)

    public init(time: TimeSource, onTimer: @escaping @Sendable () async -> Void) {
        self.time = time
        self.onTimer = onTimer
    }

    /// Fires at `instant`, or earlier if an earlier instant is set.
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

    /// Cancels the timer permanently.
    public func stop() {
        isStopped = true
        timer?.cancel()
    }

    private func fire() async {
        // An earlier instant replaced this one while it woke.
        if Task.isCancelled { return }
        (due, timer) = (nil, nil)
        await onTimer()
    }
}

/// Records the outcome of a claim, and retries until the store accepts it. A lost outcome would leave the work without
/// a worker, or have it done twice.
///
/// The store reports a claim that became stale in the meantime (``FencedResult``).
public struct OutcomeRecorder: Sendable {
    private let time: TimeSource
    private let logger: Logger

    public init(time: TimeSource, logger: Logger) {
        self.time = time
        self.logger = logger
    }

    /// Calls `write` until it succeeds, and at least once, even if the task is cancelled.
    ///
    /// - Parameter what: Describes the outcome in the log.
    /// - Returns: nil if the task was cancelled or the store has stopped writing. The claim then stays, and the next
    ///   start takes it over.
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

/// The delays between retries of a failed store call.
public enum StoreRetry {
    /// The delay after the first consecutive failure. It is short, because a disk may be full only for a moment.
    public static let firstInterval = Duration.seconds(1)
    /// The maximum delay.
    public static let longestInterval = Duration.seconds(60)
}
