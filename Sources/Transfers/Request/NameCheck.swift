import Linux
import Synchronization

/// Finds out whether a name that libcurl could not resolve does not exist: libcurl has one code for that and for a
/// resolver that is out of order (libcurl-errors(3)).
final class NameCheck: Sendable {
    private let pool = BlockingPool(threads: limit, name: "names")
    private let count = Atomic<Int>(0)

    /// While a resolver is out of order each question takes long. Nobody waits for those of others.
    private static let limit = 4

    /// - Returns: false where it exists, or where nobody can tell now.
    func isUnknown(_ host: String) async -> Bool {
        let asking = count.wrappingAdd(1, ordering: .relaxed).newValue
        defer { count.wrappingSubtract(1, ordering: .relaxed) }
        guard asking <= Self.limit else { return false }
        return await pool.run { HostName.isUnknown(host) }
    }
}
