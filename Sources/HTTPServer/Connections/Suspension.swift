import CMicroHTTPD
import Synchronization

/// A suspended connection, to be resumed once, on any thread.
struct SuspendedConnection: @unchecked Sendable {
    // @unchecked: the manual's section "Flow control" allows MHD_resume_connection() on any thread, and a suspended
    // connection is not freed before it is resumed.
    private let connection: OpaquePointer

    init(_ connection: OpaquePointer) { self.connection = connection }

    func resume() { MHD_resume_connection(connection) }
}

/// Counts suspended connections, and refuses further ones after ``close()``.
///
/// `MHD_stop_daemon()` aborts the process while a connection is suspended. The count and the closed flag are one atomic
/// value, so that no connection can be suspended between the last check and the stop.
final class SuspensionCount: Sendable {
    private static let closed = 1 << 62

    private let value = Atomic(0)

    /// - Returns: `false` if the count is closed; the connection is then not counted.
    func enter() -> Bool {
        let (old, _) = value.add(1, ordering: .acquiringAndReleasing)
        guard old < Self.closed else {
            leave()
            return false
        }
        return true
    }

    /// Must be called after the resume, which still uses libmicrohttpd.
    func leave() { value.subtract(1, ordering: .acquiringAndReleasing) }

    func close() {
        let (old, _) = value.add(Self.closed, ordering: .acquiringAndReleasing)
        precondition(old < Self.closed, "closed twice")
    }

    /// Whether the count is closed and no connection is suspended.
    var isZero: Bool { value.load(ordering: .acquiring) == Self.closed }
}
