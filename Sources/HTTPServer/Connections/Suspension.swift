import CMicroHTTPD
import Synchronization

/// A suspended connection, owned by another thread, which may only resume it, once.
struct SuspendedConnection: @unchecked Sendable {
    // @unchecked: the manual's "Flow control" lets MHD_resume_connection() be called from any thread, and a suspended
    // connection is not freed before it.
    private let connection: OpaquePointer

    init(_ connection: OpaquePointer) { self.connection = connection }

    func resume() { MHD_resume_connection(connection) }
}

/// Counts suspended connections, and can refuse further ones.
///
/// `MHD_stop_daemon()` aborts the process while a connection is suspended. One number has both the count and the closed
/// flag, so that no request can slip in between the last check and the stop.
final class SuspensionCount: Sendable {
    private static let closed = 1 << 62

    private let value = Atomic(0)

    /// - Returns: `false` if it is closed; nothing was counted then.
    func enter() -> Bool {
        let (old, _) = value.add(1, ordering: .acquiringAndReleasing)
        guard old < Self.closed else {
            leave()
            return false
        }
        return true
    }

    /// Called after the resume, which still uses libmicrohttpd.
    func leave() { value.subtract(1, ordering: .acquiringAndReleasing) }

    func close() {
        let (old, _) = value.add(Self.closed, ordering: .acquiringAndReleasing)
        precondition(old < Self.closed, "closed twice")
    }

    /// It is closed and the count is zero.
    var isZero: Bool { value.load(ordering: .acquiring) == Self.closed }
}
