import Core
import Logging
import Synchronization

/// Logs wrong tokens: the first of an address at once, and then a line a minute with the number since the last one.
final class WrongTokenLog: Sendable {
    private struct Entry {
        /// When the next line may be written, in milliseconds of the monotonic clock.
        var next: Int64
        var count: Int
    }

    private static let interval: Int64 = 60_000
    /// The maximum number of remembered addresses. Each further one gets its line at once.
    private static let capacity = 4096

    private let entries = Mutex<[String: Entry]>([:])
    private let logger: Logger

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// - Parameter elapsed: The elapsed time of the monotonic clock.
    func record(from address: String, elapsed: Duration) {
        let now = elapsed.wholeMilliseconds
        let count: Int? = entries.withLock { entries in
            var entry = entries[address] ?? Entry(next: now, count: 0)
            entry.count += 1
            guard now >= entry.next else {
                entries[address] = entry
                return nil
            }
            if entries.count >= Self.capacity { entries = entries.filter { $0.value.next > now } }
            if entries.count >= Self.capacity { entries = [:] }
            entries[address] = Entry(next: now + Self.interval, count: 0)
            return entry.count
        }
        guard let count else { return }
        logger.warning("wrong token", metadata: ["client.address": "\(address)", "count": .stringConvertible(count)])
    }
}
