internal import Glibc
internal import Synchronization

/// Every open connection, so that a late one can be cut.
final class ConnectionTable: Sendable {
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
