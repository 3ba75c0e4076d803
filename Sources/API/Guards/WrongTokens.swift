import Model
import Synchronization

/// How many wrong tokens came from an address of late: ten may come at once, and one more each six seconds.
///
/// What it decides is the answer to a wrong token alone. A right one passes whatever others do from its address, which
/// a whole office may share.
final class WrongTokens: Sendable {
    private static let burst: Int64 = 10
    private static let interval: Int64 = 6000
    /// Addresses that are remembered. A guesser who has more of them is not held by a limit for each.
    private static let capacity = 4096

    /// When the tokens that came from a network will all be forgotten, one each interval; in milliseconds of the clock
    /// that nobody sets.
    private let forgotten = Mutex<[String: Int64]>([:])

    /// How many networks are remembered.
    var count: Int { forgotten.withLock { $0.count } }

    /// Counts a wrong token.
    ///
    /// - Parameter elapsed: On a clock that nobody sets.
    /// - Returns: After how many seconds the next one is looked at; nil where it is now.
    func add(from address: String, elapsed: Duration) -> Int? {
        let network = Self.network(of: address)
        return forgotten.withLock { forgotten in
            let now = elapsed.wholeMilliseconds
            let until = max(forgotten[network] ?? now, now)
            let excess = until - now - (Self.burst - 1) * Self.interval
            guard excess <= 0 else { return Int((excess + 999) / 1000) }
            if forgotten.count >= Self.capacity { Self.makeRoom(&forgotten, now) }
            forgotten[network] = until + Self.interval
            return nil
        }
    }

    private static func makeRoom(_ forgotten: inout [String: Int64], _ now: Int64) {
        forgotten = forgotten.filter { $0.value > now }
        if forgotten.count >= capacity { forgotten = [:] }
    }

    /// An IPv6 client controls its whole /64 (RFC 4291, section 2.5.1).
    private static func network(of address: String) -> String {
        guard case .v6(let number)? = IPAddress(address) else { return address }
        return String(number >> 64, radix: 16)
    }
}
