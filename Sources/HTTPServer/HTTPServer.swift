import CMicroHTTPD
import Glibc
import HTTPTypes

/// An HTTP/1.1 server that runs on the epoll threads of libmicrohttpd. Its handler is an `async` function.
///
/// A request is validated before its handler is called. Ambiguous framing, ambiguous targets and excessive sizes are
/// refused. The head and the body have absolute deadlines, because each received byte resets libmicrohttpd's own
/// timeout. A request that is refused because of its head gets its response before any byte of its body is stored.
/// While a handler waits, its connection is suspended and uses no thread.
///
/// A suspended connection does not notice that its client disconnected, so a handler that waits needs its own timeout.
/// A streamed body (``ResponseStream``) ends soon after its client disconnects. TLS is not supported. The process must
/// ignore `SIGPIPE`.
///
/// ```swift
/// let server = try HTTPServer { request in
///     ServerResponse(status: .ok, body: .bytes(Array("hello\n".utf8)))
/// }
/// await server.shutdown()
/// ```
public final class HTTPServer: Sendable {
    /// Handles one request.
    ///
    /// It runs in its own task, which the server cancels if it is still waiting when the server stops. The task starts
    /// on the server's thread and stays there until it first suspends, so it must not block.
    public typealias Handler = @Sendable (ServerRequest) async -> ServerResponse

    /// Validates the head of a request before any byte of its body is stored, and chooses the handler.
    ///
    /// It runs on a thread that serves other connections too, so it must not block.
    public typealias Admission = @Sendable (ServerRequest.Head) -> AdmissionDecision

    /// Renders a refusal by the server. The head is `nil` if it is not valid.
    ///
    /// It runs on a thread that serves other connections too, so it must not block. The status should be
    /// ``Refusal/status``.
    ///
    /// Some responses come from libmicrohttpd itself and are not rendered. Their connections are closed:
    ///
    /// * on all versions 400 for a request line, a field line, a `Content-Length` or a chunk that it cannot parse, 413
    ///   for a `Content-Length` or a chunk size of 2 to the 64th or more (1.0.10: 400 for the former), 431 or 414 for a
    ///   head that exceeds its memory, and 505 for an unknown HTTP version;
    /// * in 0.9.75 these responses to `Content-Length` and to a large `Cookie`, with the head sent twice, and 500 for a
    ///   chunk extension that exceeds its memory (later 413);
    /// * from 1.0 those to folded lines, NUL, a bare CR or line feed, white space in a target, a missing `Host`, and
    ///   ambiguous framing, with the status that the refusal would have (1.0.10: 501 for an unknown transfer coding);
    /// * in 1.0.10 those to any malformed name of a field and to a repeated `Host` or `Content-Length`.
    ///
    /// Some requests that do not look like HTTP get no response. `docs/decisions/0054` lists the differences.
    public typealias RefusalRenderer = @Sendable (Refusal, ServerRequest.Head?) -> ServerResponse

    private let core: ServerCore
    private let listeners: Listeners
    private let housekeeper: Housekeeper

    /// Starts a server with one handler for all requests.
    ///
    /// - Throws: The reason why the server cannot start. All resources have been released.
    public convenience init(
        configuration: Configuration = Configuration(),
        refuse: @escaping RefusalRenderer = Refusal.plainText,
        maxBodyBytes: Int = 1 << 20,
        handler: @escaping Handler
    ) throws(HTTPServerError) {
        try self.init(configuration: configuration, refuse: refuse) { _ in
            .admitted(maxBodyBytes: maxBodyBytes, handler)
        }
    }

    /// Binds the sockets and starts the server. `admit` may be called before this initializer returns.
    ///
    /// An address that no interface of the machine has yet (`EADDRNOTAVAIL`) is no error: it is tried again each
    /// second.
    ///
    /// - Throws: The reason why the server cannot start. All resources have been released.
    public init(
        configuration: Configuration = Configuration(),
        refuse: @escaping RefusalRenderer = Refusal.plainText,
        admit: @escaping Admission
    ) throws(HTTPServerError) {
        let core = ServerCore(configuration: configuration, render: refuse, admit: admit)
        let listeners = try Listeners(on: configuration.addresses, core: core, report: configuration.didListen)
        let housekeeper = Housekeeper(core: core, listeners: listeners)
        let result = housekeeper.start()
        guard result == 0 else {
            listeners.stop()
            throw .cannotStart(errno: result)
        }
        (self.core, self.listeners, self.housekeeper) = (core, listeners, housekeeper)
    }

    /// The addresses on which the server listens now, with the ports that the system chose.
    public var addresses: [ServerAddress] { listeners.addresses }

    /// The addresses that no interface of the machine has yet. They are tried again each second.
    public var awaitedAddresses: [ServerAddress] { listeners.awaited }

    /// The port of the first address on which the server listens; 0 while it listens on none.
    public var port: UInt16 { addresses.first?.port ?? 0 }

    /// The bytes of request bodies in memory: the current number and the maximum so far.
    public var bufferedBytes: (now: Int, highest: Int) { (core.bodies.used, core.bodies.highest) }

    /// The number of open connections.
    public var connectionCount: Int { core.connections.count }

    /// Stops listening, waits for requests in progress, then stops the server.
    ///
    /// Each remaining response closes its connection. At the deadline, requests without a response get status 503 and
    /// their handlers are cancelled. Concurrent calls all return when the server has stopped.
    public func shutdown(deadline: Duration = .seconds(25)) async {
        await housekeeper.stop(within: deadline)
    }
}

extension HTTPServer {
    /// The address and limits of a server.
    public struct Configuration: Sendable {
        /// Where the server listens; at least one address. `::` accepts IPv4 connections too, unless an IPv4 address of
        /// the list has the same port.
        public var addresses = [ServerAddress(port: 8080)]
        /// Called on the server's own thread with each address that no interface had at the start, once the server
        /// listens on it. It must not block.
        public var didListen: @Sendable (ServerAddress) -> Void = { _ in }
        /// The number of libmicrohttpd's threads for each address, each with its own epoll set; at least 1.
        public var threads: Int = Self.processorCount
        /// The maximum number of bytes in memory for the bodies of all requests, until their responses exist. If a body
        /// does not fit, its request is refused with 503.
        public var maxBufferedBytes: Int = 64 << 20
        /// Paths that are served even if every connection is busy.
        public var vitalPaths: Set<String> = []
        /// The maximum size of a request's head, in bytes. libmicrohttpd itself refuses a longer one with 431. Each
        /// field takes about 60 bytes more.
        public var maxHeaderBytes: Int = 32 << 10
        /// The maximum length of a request target, in bytes. A longer one is refused with 414. If it also exceeds
        /// ``maxHeaderBytes``, libmicrohttpd itself sends the 414.
        public var maxTargetBytes: Int = 16 << 10
        /// The maximum number of connections. A further connection replaces the one that has been idle the longest. If
        /// all are busy, its request is refused with 503, unless it is for one of the ``vitalPaths``.
        public var maxConnections: Int = 4096
        /// The maximum number of connections from one address (IPv6: one /64). With nil, loopback addresses have no
        /// limit, and other addresses have ``maxConnectionsPerRemoteAddress``.
        public var maxConnectionsPerAddress: Int?
        /// How long a connection may receive no bytes, between and within requests; rounded up to whole seconds.
        public var idleTimeout: Duration = .seconds(30)
        /// The time limit for a head, from the opening of the connection to the empty line.
        ///
        /// On a reused connection the next head must be complete within ``idleTimeout`` plus this time after the
        /// previous response, and within this time after its request line.
        public var headerDeadline: Duration = .seconds(10)
        /// The time limit for a body, from the complete head to its last byte.
        public var bodyDeadline: Duration = .seconds(60)

        public init() {}

        /// The default limit for each address that is not a loopback address.
        public static let maxConnectionsPerRemoteAddress = 256

        private static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
    }
}

/// The reason why a server could not start.
public enum HTTPServerError: Error, Hashable, Sendable {
    /// The text is not an IPv4 or IPv6 address. Names are not resolved.
    case invalidAddress(String)
    /// Another socket uses the address and port (`EADDRINUSE`).
    case addressInUse(ServerAddress)
    /// No interface of the machine has this address (`EADDRNOTAVAIL`).
    case addressNotAvailable(String)
    /// The port is reserved for privileged processes (`EACCES`).
    case permissionDenied(ServerAddress)
    /// The machine has no IPv6 (`EAFNOSUPPORT`).
    case noIPv6(String)
    /// A socket, a pipe or a thread could not be created. The number is an `errno`, or 0 if libmicrohttpd reported
    /// none.
    case cannotStart(errno: Int32)

    /// A stable identifier for logs and exit messages.
    public var code: String {
        switch self {
        case .invalidAddress: "invalid-address"
        case .addressInUse: "address-in-use"
        case .addressNotAvailable: "address-not-available"
        case .permissionDenied: "permission-denied"
        case .noIPv6: "no-ipv6"
        case .cannotStart: "cannot-start"
        }
    }
}

extension HTTPServerError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidAddress(let address): "\(address) is not an IPv4 or IPv6 address"
        case .addressInUse(let address): "\(address.host) port \(address.port) is in use"
        case .addressNotAvailable(let address): "\(address) is not an address of this machine"
        case .permissionDenied(let address):
            "no permission to listen on \(address.host) port \(address.port)"
        case .noIPv6(let address): "this machine has no IPv6, which \(address) needs"
        case .cannotStart(let number): "the server cannot start (errno \(number))"
        }
    }
}
