import Synchronization

/// The idle connections of several loops, by server and loop.
///
/// A loop uses only its own connections. A server with few threads may occupy one with each idle connection. A request
/// of another loop would then wait until an idle connection is closed. The loops therefore share this table, and one
/// loop closes an idle connection for another.
public final class IdleConnections: Sendable {
    private struct State {
        /// The number of idle connections to each address, by loop.
        var byAddress: [SocketAddress: [Int: Int]] = [:]
        var byAuthority: [String: [Int: Int]] = [:]
        /// The number of idle connections that are reserved for requests which have not started yet.
        var taken: [String: [Int: Int]] = [:]
        /// Addresses for which a request waits: until this time, the next connection that becomes idle is closed.
        var requested: [SocketAddress: ContinuousClock.Instant] = [:]
        var mailboxes: [Int: Mailbox] = [:]
    }

    private let state = Mutex(State())
    /// How long a request to close a connection is valid. A waiting transfer repeats it.
    static let requestLifetime = Duration.seconds(1)

    /// How long an idle connection is kept. A server may have few threads, and an idle connection may block one.
    let longestIdleness: Duration

    public init(longestIdleness: Duration = .seconds(5)) { self.longestIdleness = longestIdleness }

    /// The loop with an idle connection to `authority` (`host:port`); nil if there is none. The connection is reserved.
    ///
    /// - Parameter end: Only loops with a lower number are considered.
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

    /// Counts a connection that became idle (1), or that is no longer idle (-1) because it is used or closed. Leaving
    /// the idle state also ends a reservation.
    func count(_ change: Int, _ address: SocketAddress, _ authority: String, loop: Int) {
        state.withLock { state in
            Self.add(change, to: &state.byAddress, address, loop)
            Self.add(change, to: &state.byAuthority, authority, loop)
            if change < 0 { Self.add(change, to: &state.taken, authority, loop) }
        }
    }

    /// Closes one connection to `address`, now or when the next one becomes idle, because a request waits for the
    /// server.
    func closeOne(to address: SocketAddress, at now: ContinuousClock.Instant) {
        let mailbox = state.withLock { state -> Mailbox? in
            if let loop = state.byAddress[address]?.keys.first { return state.mailboxes[loop] }
            state.requested = state.requested.filter { $0.value > now }
            state.requested[address] = now + Self.requestLifetime
            return nil
        }
        mailbox?.post(.closeIdle(address))
    }

    /// Whether to close a connection that becomes idle, because a request waits. True once per request.
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
