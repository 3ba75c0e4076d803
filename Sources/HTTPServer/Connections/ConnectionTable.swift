import Glibc
import Synchronization

/// All open connections. Closes connections after their deadline, and replaces idle ones when a limit is reached.
final class ConnectionTable: Sendable {
    /// `POLLRDHUP` (poll(2)). The C library's module does not export it.
    private static let peerClosed: Int16 = 0x2000

    private struct Entry {
        let connection: Connection
        var isSpare = false
        /// Whether the connection was shut down. It then no longer counts towards the limits.
        var isClosing = false

        var hasPlace: Bool { !isSpare && !isClosing }
    }

    private struct Group {
        var entries: [ObjectIdentifier: Entry] = [:]
        /// The number of entries that count towards the limit.
        var places = 0
    }

    private struct State {
        var groups: [AddressGroup: Group] = [:]
        var count = 0
        var places = 0
        var spares = 0

        var entries: some Sequence<Entry> { groups.values.lazy.flatMap(\.entries.values) }
    }

    private let limits: ConnectionLimits
    private let state = Mutex(State())
    private let order = Atomic(0)

    init(limits: ConnectionLimits) {
        self.limits = limits
    }

    var count: Int { state.withLock { $0.count } }

    var all: [Connection] { state.withLock { $0.entries.map(\.connection) } }

    /// A number higher than all earlier ones.
    func nextOrder() -> Int { order.add(1, ordering: .relaxed).newValue }

    // MARK: Places

    /// Adds a new connection. If its address has reached its limit, the connection of that address that has waited
    /// longest for a request is closed. If the total limit is reached, the one that has waited longest of all is
    /// closed. If all connections are busy, the new connection becomes a spare.
    ///
    /// Closing an idle connection is allowed: a client must expect it at any time (RFC 9112, section 9.3).
    func insert(_ connection: Connection) {
        state.withLock { state in
            let group = connection.group
            let isSpare = !Self.hasRoom(limits, for: group, &state)
            connection.isSpare.store(isSpare, ordering: .relaxed)
            state.groups[group, default: Group()].entries[ObjectIdentifier(connection)] = Entry(
                connection: connection,
                isSpare: isSpare
            )
            state.count += 1
            if isSpare {
                state.spares += 1
                if state.spares > ConnectionLimits.spare { Self.dropSpare(sparing: connection, &state) }
            } else {
                state.places += 1
                state.groups[group]?.places += 1
            }
        }
    }

    /// Removes a connection. libmicrohttpd then closes the descriptor, and the system may reuse its number.
    func remove(_ connection: Connection) {
        state.withLock { state in
            let id = ObjectIdentifier(connection)
            guard let entry = state.groups[connection.group]?.entries.removeValue(forKey: id) else { return }
            state.count -= 1
            if entry.isSpare, !entry.isClosing { state.spares -= 1 }
            if entry.hasPlace { Self.freePlace(in: connection.group, &state) }
            if state.groups[connection.group]?.entries.isEmpty == true { state.groups[connection.group] = nil }
        }
    }

    private static func hasRoom(_ limits: ConnectionLimits, for group: AddressGroup, _ state: inout State) -> Bool {
        if let limit = limits.limit(of: group), let taken = state.groups[group], taken.places >= limit {
            close(longestWaiting(of: taken.entries.values, limit: limit), &state)
            guard state.groups[group]?.places ?? 0 < limit else { return false }
        }
        if state.places >= limits.all { close(longestWaiting(of: state.entries, limit: limits.all), &state) }
        return state.places < limits.all
    }

    /// Returns up to 1/64 of the limit at a time, so that during a flood not every new connection requires a search of
    /// all entries.
    private static func longestWaiting(of entries: some Sequence<Entry>, limit: Int) -> [Connection] {
        let waiting = entries.filter { $0.hasPlace && $0.connection.isWaiting }.map { entry in
            (connection: entry.connection, since: entry.connection.waitingSince.load(ordering: .relaxed))
        }
        return waiting.sorted { $0.since < $1.since }.prefix(max(1, limit / 64)).map(\.connection)
    }

    private static func close(_ connections: [Connection], _ state: inout State) {
        for connection in connections where connection.abandon() {
            // The call is made under the lock, because otherwise the descriptor might be reused first. It does not
            // block.
            shutdown(connection.descriptor, Int32(SHUT_RDWR))
            state.groups[connection.group]?.entries[ObjectIdentifier(connection)]?.isClosing = true
            freePlace(in: connection.group, &state)
        }
    }

    private static func freePlace(in group: AddressGroup, _ state: inout State) {
        state.places -= 1
        state.groups[group]?.places -= 1
    }

    /// Closes the spare that has waited longest, else one that is being refused, else the newest one: the others are
    /// vital.
    private static func dropSpare(sparing newest: Connection, _ state: inout State) {
        let spares = state.entries.filter { $0.isSpare && !$0.isClosing && $0.connection !== newest }
        let oldest = spares.map(\.connection).filter(\.isWaiting).min {
            $0.waitingSince.load(ordering: .relaxed) < $1.waitingSince.load(ordering: .relaxed)
        }
        let closed =
            oldest.flatMap { $0.abandon() ? $0 : nil }
            ?? spares.map(\.connection).first { $0.abandonRefused() }
            ?? (newest.abandon() ? newest : nil)
        if let connection = closed {
            shutdown(connection.descriptor, Int32(SHUT_RDWR))
            state.groups[connection.group]?.entries[ObjectIdentifier(connection)]?.isClosing = true
            state.spares -= 1
        }
    }

    // MARK: Time

    /// The streamed bodies whose clients have closed their side or disconnected.
    ///
    /// libmicrohttpd does not poll a suspended connection, and would notice the end only when it sends the second piece
    /// after it. A client that closes only its sending side counts as disconnected too: no client reads a stream in
    /// this state.
    var deserted: [ResponseStream] {
        // The call is made under the lock, because otherwise a descriptor might be reused first. It does not block.
        state.withLock { state in
            let streams = state.entries.compactMap { entry in
                entry.connection.stream.map { (stream: $0, descriptor: entry.connection.descriptor) }
            }
            guard !streams.isEmpty else { return [] }
            var polls = streams.map { pollfd(fd: $0.descriptor, events: Self.peerClosed, revents: 0) }
            poll(&polls, nfds_t(polls.count), 0)
            return zip(streams, polls).filter { $1.revents != 0 }.map(\.0.stream)
        }
    }

    /// Shuts down every connection whose deadline has passed. libmicrohttpd notices the shutdown and closes it.
    func cutOverdue(at now: Int64) {
        // The call is made under the lock, because otherwise the descriptor might be reused first. It does not block.
        state.withLock { state in
            for entry in state.entries where entry.connection.deadline.load(ordering: .relaxed) <= now {
                shutdown(entry.connection.descriptor, Int32(SHUT_RDWR))
                entry.connection.setDeadline(MonotonicClock.never)
            }
        }
    }
}
