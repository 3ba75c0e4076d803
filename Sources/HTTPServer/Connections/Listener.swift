import CMicroHTTPD
import Glibc

/// A listening socket and the daemon of libmicrohttpd that serves its connections.
final class Listener: Sendable {
    /// The address with the port that the system chose.
    let address: ServerAddress
    private let socket: ListeningSocket
    // nonisolated(unsafe): written only in `init`; libmicrohttpd has its own locks.
    private nonisolated(unsafe) let daemon: OpaquePointer

    /// - Parameters:
    ///   - dualStack: Whether a socket for every IPv6 address also accepts IPv4 connections.
    ///   - core: Must outlive the listener's ``stop()``.
    init(on address: ServerAddress, dualStack: Bool, core: ServerCore) throws(HTTPServerError) {
        let socket = try ListeningSocket(address: address, dualStack: dualStack)
        guard let daemon = startDaemon(on: socket.descriptor, core: core) else {
            // libmicrohttpd closes the socket on failure. Closing it again might close another file.
            throw .cannotStart(errno: 0)
        }
        self.address = ServerAddress(host: address.host, port: socket.port)
        self.socket = socket
        self.daemon = daemon
    }

    /// Refuses new connections. Requests on open connections still get their responses.
    func quiesce() {
        MHD_quiesce_daemon(daemon)
        // The descriptor stays open until the threads that may use it have ended.
        shutdown(socket.descriptor, Int32(SHUT_RDWR))
    }

    /// Ends the daemon's threads, which blocks. No connection may be suspended.
    func stop() {
        MHD_stop_daemon(daemon)
        socket.close()
    }
}
