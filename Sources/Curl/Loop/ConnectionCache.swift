import Glibc

/// The connections of a loop, by their endpoints: the transfers that use each one, unread bytes, and when it became
/// idle.
///
/// libcurl exposes only the addresses of a connection. Before version 8, and again in 8.22, it may reuse a connection
/// with unread bytes. It keeps a connection open until a later request finds it too old.
final class ConnectionCache {
    struct Endpoints: Hashable {
        let localPort: UInt16
        let remote: SocketAddress
    }

    private struct Connection {
        /// -1 if unknown.
        var descriptor: Int32 = -1
        var authority = ""
        var users: Set<TransferID> = []
        /// nil while the connection is in use, and after it was shut down.
        var idleSince: ContinuousClock.Instant?
        var isShutDown = false
    }

    private var connections: [Endpoints: Connection] = [:]
    private var ends: [Int32: Endpoints] = [:]
    private var idleCount = 0
    private let shared: IdleConnections
    private let loop: Int
    /// What went wrong in TLS on these connections.
    let faults = TLSFaults()

    init(shared: IdleConnections, loop: Int) {
        self.shared = shared
        self.loop = loop
    }

    /// Records a new connection. Its socket is the one of `opened` with the same local port.
    func record(_ ends: Endpoints, among opened: [Int32], of authority: String) {
        guard let descriptor = opened.last(where: { Self.localPort(of: $0) == ends.localPort }) else { return }
        forget(ends)
        recordClosed(descriptor)
        connections[ends] = Connection(descriptor: descriptor, authority: authority)
        self.ends[descriptor] = ends
    }

    /// Records that libcurl is closing a socket.
    func recordClosed(_ descriptor: Int32) {
        if let ends = ends[descriptor] { forget(ends) }
    }

    private func forget(_ ends: Endpoints) {
        setIdle(ends, since: nil)
        guard let connection = connections.removeValue(forKey: ends) else { return }
        self.ends[connection.descriptor] = nil
    }

    // MARK: - Users

    /// Whether no other transfer uses a connection.
    ///
    /// Before version 8.6, if libcurl knows an HTTP/2 connection to a host, it may assign any connection to a request,
    /// even an HTTP/1.1 connection with a response in progress. Each of the two transfers would then receive bytes of
    /// the other (https://github.com/curl/curl/pull/12373).
    func isFree(_ ends: Endpoints, for transfer: TransferID) -> Bool {
        guard let connection = connections[ends] else { return true }
        return !connection.isShutDown && connection.users.allSatisfy { $0 == transfer }
    }

    /// Whether this cache has shut the connection down. libcurl may not know it yet.
    func isShutDown(_ ends: Endpoints) -> Bool { connections[ends]?.isShutDown ?? false }

    func addUser(_ ends: Endpoints, for transfer: TransferID) {
        setIdle(ends, since: nil)
        connections[ends, default: Connection()].users.insert(transfer)
    }

    /// Releases a connection. libcurl may have closed it already.
    ///
    /// - Parameter closes: Whether no other request may use it.
    func release(of ends: Endpoints, by transfer: TransferID, closes: Bool = false) {
        guard connections[ends]?.users.remove(transfer) != nil, connections[ends]?.users.isEmpty == true else { return }
        guard connections[ends]?.descriptor ?? -1 >= 0 else { return forget(ends) }
        let now = ContinuousClock.now
        if closes || shared.removeRequest(of: ends.remote, at: now) {
            shutDown(ends)
        } else {
            setIdle(ends, since: now)
        }
    }

    // MARK: - Idle connections

    /// When the next idle connection exceeds its allowed time; nil if none is idle.
    var nextDue: ContinuousClock.Instant? {
        guard idleCount > 0 else { return nil }
        return connections.values.compactMap(\.idleSince).min().map { $0 + shared.longestIdleness }
    }

    /// Shuts down the connections that have been idle for too long.
    func closeIdle(at now: ContinuousClock.Instant) {
        guard idleCount > 0 else { return }
        for (ends, connection) in connections {
            if let since = connection.idleSince, now - since >= shared.longestIdleness { shutDown(ends) }
        }
    }

    /// Shuts down the connection to `address` that has been idle the longest.
    func closeOneIdle(to address: SocketAddress) {
        let idle = connections.filter { $0.key.remote == address && $0.value.idleSince != nil }
        let oldest = idle.min { ($0.value.idleSince ?? .now) < ($1.value.idleSince ?? .now) }
        if let oldest { shutDown(oldest.key) }
    }

    /// Requests that an idle connection to `address` is closed, in any loop.
    func requestIdleConnection(to address: SocketAddress, at now: ContinuousClock.Instant) {
        shared.closeOne(to: address, at: now)
    }

    /// Shuts a connection down. libcurl still owns the descriptor, and closes it when it finds the connection dead:
    /// before a reuse, or when it prunes old connections (https://curl.se/libcurl/c/CURLOPT_MAXAGE_CONN.html).
    private func shutDown(_ ends: Endpoints) {
        setIdle(ends, since: nil)
        guard let descriptor = connections[ends]?.descriptor else { return }
        connections[ends]?.isShutDown = true
        // The descriptor may belong to another file by now. A file without this local port is not touched.
        if Self.localPort(of: descriptor) == ends.localPort { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    private func setIdle(_ ends: Endpoints, since: ContinuousClock.Instant?) {
        guard let connection = connections[ends], (connection.idleSince == nil) != (since == nil) else { return }
        connections[ends]?.idleSince = since
        let change = since == nil ? -1 : 1
        idleCount += change
        shared.count(change, ends.remote, connection.authority, loop: loop)
    }

    // MARK: - Unread bytes

    /// Whether an idle connection has received bytes.
    func hasUnread(_ ends: Endpoints) -> Bool {
        guard let descriptor = connections[ends]?.descriptor, Self.localPort(of: descriptor) == ends.localPort else {
            return false
        }
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
    }

    // MARK: - Sent bytes

    /// How many sent bytes the peer has not acknowledged (`SIOCOUTQ`, tcp(7)); nil if the kernel does not say.
    func unacknowledgedBytes(on ends: Endpoints) -> Int32? {
        guard let descriptor = connections[ends]?.descriptor, Self.localPort(of: descriptor) == ends.localPort else {
            return nil
        }
        var count: Int32 = 0
        // TIOCOUTQ has the same number, and Swift imports it.
        return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? count : nil
    }

    private static func localPort(of descriptor: Int32) -> UInt16? {
        var storage = sockaddr_storage()
        return withUnsafeMutableBytes(of: &storage) { bytes in
            var length = socklen_t(bytes.count)
            // `!`: the buffer of a local variable always has an address.
            let address = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            guard getsockname(descriptor, address, &length) == 0 else { return nil }
            return SocketAddress(UnsafeRawPointer(address), length: Int(length))?.port
        }
    }
}
