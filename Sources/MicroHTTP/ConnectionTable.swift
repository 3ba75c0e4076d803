internal import Glibc
internal import Synchronization

/// Every open connection, so that a late one can be cut.
final class ConnectionTable: Sendable {
    /// `POLLRDHUP` (poll(2)), which the module of the C library lacks.
    private static let peerClosed: Int16 = 0x2000

    private let connections = Mutex<[ObjectIdentifier: Connection]>([:])

    var count: Int { connections.withLock { $0.count } }

    var all: [Connection] { connections.withLock { Array($0.values) } }

    func insert(_ connection: Connection) {
        connections.withLock { $0[ObjectIdentifier(connection)] = connection }
    }

    /// libmicrohttpd closes the descriptor after this returns, and the system may then give the number away.
    func remove(_ connection: Connection) {
        connections.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(connection)) }
    }

    /// The bodies whose clients have closed their side or are gone.
    ///
    /// libmicrohttpd does not look at a suspended connection, and would learn of it at the second piece after. A client
    /// that closed its side only, and reads on, is taken for gone too: nobody reads a stream so.
    var deserted: [ResponseStream] {
        // The system call stays under the lock (it does not block): outside it a descriptor might be another's.
        connections.withLock { connections in
            let streams = connections.values.compactMap { connection in
                connection.stream.map { (stream: $0, descriptor: connection.descriptor) }
            }
            guard !streams.isEmpty else { return [] }
            var polls = streams.map { pollfd(fd: $0.descriptor, events: Self.peerClosed, revents: 0) }
            poll(&polls, nfds_t(polls.count), 0)
            return zip(streams, polls).filter { $1.revents != 0 }.map(\.0.stream)
        }
    }

    /// Shuts down each connection whose deadline has passed; libmicrohttpd sees its end and closes it.
    func cutOverdue(at now: Int64) {
        // The system call stays under the lock (it does not block): outside it the descriptor might be another's.
        connections.withLock { connections in
            for connection in connections.values where connection.deadline.load(ordering: .relaxed) <= now {
                shutdown(connection.descriptor, Int32(SHUT_RDWR))
                connection.setDeadline(MonotonicClock.never)
            }
        }
    }
}
