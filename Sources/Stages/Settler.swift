public import Logging
public import Model
import Store

/// Writes down what became of a claim, again and again until the store takes it: work that is in nobody's hands would
/// never go on, and work that was done is not done twice.
///
/// A claim that was taken away meanwhile is the store's to tell (``Fenced``).
public struct Settler: Sendable {
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
    public func settle<Value>(_ what: Logger.Metadata, _ write: () async throws -> Value) async -> Value? {
        var interval = StoreRetry.firstInterval
        while true {
            do {
                return try await write()
            } catch {
                let failure = error as? StoreError
                let isFinal = failure == .closed || failure?.endsService == true
                logger.error(
                    "an outcome could not be recorded\(isFinal ? "" : ", to be tried again")",
                    metadata: what.merging(["error": "\(error)"]) { $1 }
                )
                guard !isFinal, (try? await time.sleep(for: interval)) != nil else { return nil }
                interval = min(interval * 2, StoreRetry.longestInterval)
            }
        }
    }
}
