import CMicroHTTPD
import Glibc
import HTTPTypes

/// An HTTP/1.1 server on libmicrohttpd's own epoll threads, whose handler is a Swift `async` function.
///
/// A request is checked before its handler gets it: ambiguous framing, ambiguous targets and excessive sizes are
/// refused, and absolute deadlines bound head and body (libmicrohttpd's own timeout is reset by each byte). A refusal
/// by the head is answered before a byte of the body is kept. While a handler waits its connection is suspended and
/// uses no thread.
///
/// A suspended connection does not notice that its client left; a handler that waits needs a timeout of its own. A
/// streamed body (``ResponseStream``) ends soon after its client leaves. TLS is not offered. A process that serves
/// ignores `SIGPIPE`.
///
/// ```swift
/// let server = try HTTPServer { request in
///     ServerResponse(status: .ok, body: .bytes(Array("hello\n".utf8)))
/// }
/// await server.shutdown()
/// ```
public final class HTTPServer: Sendable {
    /// Answers one request.
    ///
    /// It runs as a task of its own, which a stopping server cancels once it waits. The task starts on the server's
    /// thread and stays there up to its first suspension, so it must not block.
    public typealias Handler = @Sendable (ServerRequest) async -> ServerResponse

    /// Checks a request by its head, before a byte of its body is kept, and names its handler.
    ///
    /// It runs on a thread that serves other connections too, so it must not wait.
    public typealias Admission = @Sendable (ServerRequest.Head) -> AdmissionDecision

    /// Renders a refusal of the server. The head is `nil` if it cannot be trusted.
    ///
    /// It runs on a thread that serves other connections too, so it must not wait. The status should be the refusal's.
    /// It does not render libmicrohttpd's own answers: a `Content-Length` that is not a number (400, or 413 for one
    /// with too many digits; 0.9.75 sends the head of these two twice and closes the connection), an invalid field line
    /// or chunk (400), a head beyond its memory (431 or 414), and an unknown HTTP version (505).
    public typealias RefusalRenderer = @Sendable (Refusal, ServerRequest.Head?) -> ServerResponse

    /// The address it listens on, as the configuration names it.
    public let address: String
    /// The port it listens on, also if the configuration has port 0.
    public let port: UInt16
    private let core: ServerCore
    private let housekeeper: Housekeeper

    /// Uses one handler for all requests.
    ///
    /// - Throws: why it cannot listen; nothing is left open then.
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

    /// Binds and starts. Requests may reach `admit` before this returns.
    ///
    /// - Throws: why it cannot listen; nothing is left open then.
    public init(
        configuration: Configuration = Configuration(),
        refuse: @escaping RefusalRenderer = Refusal.plainText,
        admit: @escaping Admission
    ) throws(HTTPServerError) {
        let listener = try ListeningSocket(address: configuration.address, port: configuration.port)
        let core = ServerCore(configuration: configuration, render: refuse, admit: admit)
        guard let daemon = startDaemon(on: listener.descriptor, core: core) else {
            // After a failure libmicrohttpd has closed the socket; a second close might hit another descriptor.
            throw .cannotStart(errno: 0)
        }
        let housekeeper = Housekeeper(core: core, listener: listener, daemon: daemon)
        let result = housekeeper.start()
        guard result == 0 else {
            MHD_stop_daemon(daemon)
            throw .cannotStart(errno: result)
        }
        address = configuration.address
        port = listener.port
        self.core = core
        self.housekeeper = housekeeper
    }

    /// The bytes of request bodies in memory: now, and at most so far.
    public var bufferedBytes: (now: Int, highest: Int) { (core.bodies.used, core.bodies.highest) }

    /// How many connections are open.
    public var connectionCount: Int { core.connections.count }

    /// Stops listening, waits for in-flight requests, then ends the server.
    ///
    /// Each response closes its connection. Requests without a response at the deadline get 503, and their handlers are
    /// cancelled. Further calls wait for the same end.
    public func shutdown(deadline: Duration = .seconds(25)) async {
        await housekeeper.stop(within: deadline)
    }
}

extension HTTPServer {
    /// A server's address and limits.
    public struct Configuration: Sendable {
        /// An IPv4 or IPv6 literal, without brackets. An IPv6 address does not take IPv4 connections.
        public var address: String = "127.0.0.1"
        /// 0 chooses a free port: read it from ``HTTPServer/port``.
        public var port: UInt16 = 8080
        /// libmicrohttpd's threads, each with its own epoll set; at least 1.
        public var threads: Int = Self.processorCount
        /// Memory for the bodies of all requests, until they are answered. A request whose body has no room is refused
        /// with 503.
        public var maxBufferedBytes: Int = 64 << 20
        /// The paths that are answered even if every connection is busy.
        public var vitalPaths: Set<String> = []
        /// The memory for a request's head. A longer one is answered 431 by libmicrohttpd itself.
        public var maxHeaderBytes: Int = 32 << 10
        /// A longer request target is refused with 414. One that exceeds ``maxHeaderBytes`` never reaches us:
        /// libmicrohttpd answers it 414 itself.
        public var maxTargetBytes: Int = 16 << 10
        /// Connections over all threads. A further one replaces the one that has been idle longest. If all are busy it
        /// is answered 503, unless it requests one of the ``vitalPaths``.
        public var maxConnections: Int = 4096
        /// The same for the connections from one address (IPv6: one /64); nil sets no limit for those of this machine,
        /// and ``maxConnectionsPerRemoteAddress`` for others.
        public var maxConnectionsPerAddress: Int?
        /// How long a connection may stay silent between and within requests; rounded up to whole seconds.
        public var idleTimeout: Duration = .seconds(30)
        /// How long a head may take, from the opening of the connection to the empty line.
        ///
        /// On a kept-alive connection the next head is complete within ``idleTimeout`` plus this from the
        /// previous answer, and within this from its request line.
        public var headerDeadline: Duration = .seconds(10)
        /// How long a body may take, from the complete head to the last byte.
        public var bodyDeadline: Duration = .seconds(60)

        public init() {}

        /// The default limit for each address of another machine.
        public static let maxConnectionsPerRemoteAddress = 256

        private static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
    }
}

/// libmicrohttpd as a whole.
public enum MicroHTTPLibrary {
    /// The version of the library that is loaded, such as `0.9.75`.
    public static var versionText: String { String(cString: MHD_get_version()) }
}

/// Why a server could not start. Nothing is left open.
public enum HTTPServerError: Error, Hashable, Sendable {
    /// The text is no IPv4 or IPv6 literal. Names are not resolved.
    case invalidAddress(String)
    /// Another socket listens there (`EADDRINUSE`).
    case addressInUse(address: String, port: UInt16)
    /// This machine has no such address (`EADDRNOTAVAIL`).
    case addressNotAvailable(String)
    /// The port is reserved for privileged processes (`EACCES`).
    case permissionDenied(address: String, port: UInt16)
    /// The system refused a socket, a pipe or a thread; the number is an `errno`, or 0 if libmicrohttpd gave none.
    case cannotStart(errno: Int32)

    /// A stable word for logs and exit messages.
    public var code: String {
        switch self {
        case .invalidAddress: "invalid-address"
        case .addressInUse: "address-in-use"
        case .addressNotAvailable: "address-not-available"
        case .permissionDenied: "permission-denied"
        case .cannotStart: "cannot-start"
        }
    }
}

extension HTTPServerError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidAddress(let address): "\(address) is not an IPv4 or IPv6 address"
        case .addressInUse(let address, let port): "\(address) port \(port) is in use"
        case .addressNotAvailable(let address): "\(address) is not an address of this machine"
        case .permissionDenied(let address, let port): "no permission to listen on \(address) port \(port)"
        case .cannotStart(let number): "the server cannot start (errno \(number))"
        }
    }
}
