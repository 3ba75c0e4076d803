public import Core
public import Logging
import Store

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
