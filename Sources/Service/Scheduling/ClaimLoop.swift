import Core
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

/// The delays between retries of a failed store call.
public enum StoreRetry {
    /// The delay after the first consecutive failure. It is short, because a disk may be full only for a moment.
    public static let firstInterval = Duration.seconds(1)
    /// The maximum delay.
    public static let longestInterval = Duration.seconds(60)
}
