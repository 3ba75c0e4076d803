import Synchronization

/// The idle connections of several loops: to which server, and in which loop.
///
/// A loop uses only its own connections. A server with few threads serves no other connection while it waits on an idle
/// one, so the request of another loop would wait until that one is closed. So the loops share what they keep, and one
/// closes it for the other.
public final class IdleConnections: Sendable {
    private struct State {
        /// The number of idle connections, by loop.
        var byAddress: [SocketAddress: [Int: Int]] = [:]
        var byAuthority: [String: [Int: Int]] = [:]
        /// How many of these are taken for requests that have not begun to use them.
        var taken: [String: [Int: Int]] = [:]
        /// Until when the next connection to an address that becomes idle is closed: a request waits for it.
        var requested: [SocketAddress: ContinuousClock.Instant] = [:]
        var mailboxes: [Int: Mailbox] = [:]
    }

    private let state = Mutex(State())
    /// How long a waiting request counts. It repeats that it waits.
    static let requestLifetime = Duration.seconds(1)

    /// How long an idle connection is kept. A server may have few threads, each of which serves one.
    let longestIdleness: Duration

    public init(longestIdleness: Duration = .seconds(5)) { self.longestIdleness = longestIdleness }

    /// The loop with an idle connection to `authority` (`host:port`), which counts as used from then on; nil if there
    /// is none.
    ///
    /// - Parameter end: Only loops with a lower number count.
    public func useIdleLoop(for authority: String, below end: Int = .max) -> Int? {
        state.withLock { state in
            let free = state.byAuthority[authority]?.filter { loop, count in
                loop < end && count > state.taken[authority]?[loop] ?? 0
            }
            guard let loop = free?.keys.min() else { return nil }
            Self.add(1, to: &state.taken, authority, loop)
            return loop
        }
    }

    func enter(_ mailbox: Mailbox, loop: Int) { state.withLock { $0.mailboxes[loop] = mailbox } }

    func leave(loop: Int) { state.withLock { $0.mailboxes[loop] = nil } }

    /// Counts a connection in, or out again: it is used, and was perhaps taken for that, or it is closed.
    func count(_ change: Int, _ address: SocketAddress, _ authority: String, loop: Int) {
        state.withLock { state in
            Self.add(change, to: &state.byAddress, address, loop)
            Self.add(change, to: &state.byAuthority, authority, loop)
            if change < 0 { Self.add(change, to: &state.taken, authority, loop) }
        }
    }

    /// Closes one connection to an address, now or when the next becomes idle: a request waits for its response there.
    func closeOne(to address: SocketAddress, at now: ContinuousClock.Instant) {
        let mailbox = state.withLock { state -> Mailbox? in
            if let loop = state.byAddress[address]?.keys.first { return state.mailboxes[loop] }
            state.requested = state.requested.filter { $0.value > now }
            state.requested[address] = now + Self.requestLifetime
            return nil
        }
        mailbox?.post(.closeIdle(address))
    }

    /// Whether to close a connection that becomes idle, because a request waits. True once for each request.
    func removeRequest(of address: SocketAddress, at now: ContinuousClock.Instant) -> Bool {
        state.withLock { state in
            guard !state.requested.isEmpty, let until = state.requested.removeValue(forKey: address) else {
                return false
            }
            return until > now
        }
    }

    private static func add<Key: Hashable>(_ change: Int, to counts: inout [Key: [Int: Int]], _ key: Key, _ loop: Int) {
        let count = (counts[key]?[loop] ?? 0) + change
        counts[key, default: [:]][loop] = count > 0 ? count : nil
        if counts[key]?.isEmpty == true { counts[key] = nil }
    }
}
