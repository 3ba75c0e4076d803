import Synchronization

/// The connections that several loops keep open after an answer: to whom, and in which loop.
///
/// A loop uses its own connections alone. A server with few threads, which serves no other connection while it waits
/// on an idle one, would let the request of another loop wait until it gives that one up. So the loops tell each other
/// what they keep, and one closes it for the other.
public final class IdleConnections: Sendable {
    private struct State {
        /// How many each loop keeps, by the loop's number.
        var byAddress: [SocketAddress: [Int: Int]] = [:]
        var byAuthority: [String: [Int: Int]] = [:]
        /// How many of these are taken for requests that have not begun to use them.
        var taken: [String: [Int: Int]] = [:]
        /// Until when the next connection to an address that becomes idle is closed: a request waits for it.
        var wanted: [SocketAddress: ContinuousClock.Instant] = [:]
        var mailboxes: [Int: Mailbox] = [:]
    }

    private let state = Mutex(State())
    /// How long a waiting request counts. It repeats that it waits.
    static let wantTime = Duration.seconds(1)

    /// How long a connection is kept that nobody uses. A server may have few threads, each of which serves one.
    let longestIdleness: Duration

    public init(longestIdleness: Duration = .seconds(5)) { self.longestIdleness = longestIdleness }

    /// The loop that keeps a connection to `authority` (`host:port`), which counts as used from then on; nil where none
    /// does.
    ///
    /// - Parameter end: Above the numbers of the loops that are asked for.
    public func takeLoop(for authority: String, below end: Int = .max) -> Int? {
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

    /// Closes one connection to an address, now or when the next becomes idle: a request waits for its answer there.
    func closeOne(to address: SocketAddress, at now: ContinuousClock.Instant) {
        let mailbox = state.withLock { state -> Mailbox? in
            if let loop = state.byAddress[address]?.keys.first { return state.mailboxes[loop] }
            state.wanted = state.wanted.filter { $0.value > now }
            state.wanted[address] = now + Self.wantTime
            return nil
        }
        mailbox?.post(.closeIdle(address))
    }

    /// Whether to close a connection that becomes idle, because a request waits. True once for each request.
    func takeWant(of address: SocketAddress, at now: ContinuousClock.Instant) -> Bool {
        state.withLock { state in
            guard !state.wanted.isEmpty, let until = state.wanted.removeValue(forKey: address) else { return false }
            return until > now
        }
    }

    private static func add<Key: Hashable>(_ change: Int, to counts: inout [Key: [Int: Int]], _ key: Key, _ loop: Int) {
        let count = (counts[key]?[loop] ?? 0) + change
        counts[key, default: [:]][loop] = count > 0 ? count : nil
        if counts[key]?.isEmpty == true { counts[key] = nil }
    }
}
