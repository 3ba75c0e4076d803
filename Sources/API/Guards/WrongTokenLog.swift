import Core
import Logging
import Synchronization

/// Logs wrong tokens: the first of an address at once, and then a line a minute with the number since the last one.
final class WrongTokenLog: Sendable {
    private let lines = Mutex(RepeatedLines<String>(every: .seconds(60)))
    private let logger: Logger

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// - Parameter elapsed: The elapsed time of the monotonic clock.
    func record(from address: String, elapsed: Duration) {
        guard let count = lines.withLock({ $0.record(address, elapsed: elapsed) }) else { return }
        logger.warning("wrong token", metadata: ["client.address": "\(address)", "count": .stringConvertible(count)])
    }
}
