internal import CMicroHTTPD
internal import HTTPTypes

/// An HTTP/1.1 server on libmicrohttpd's own epoll threads, whose handler is a Swift `async` function.
///
/// A request is judged before its handler sees it: ambiguous framing, ambiguous targets and excessive sizes are
/// refused, and absolute deadlines bound head and body (libmicrohttpd's own timeout is reset by each byte). What its
/// owner refuses by its head is answered before a byte of the body is kept. While a handler waits its connection is
/// suspended and holds no thread.
///
/// A suspended connection does not notice that its client left; a handler that waits needs a limit of its own. A body
/// that comes piece by piece (``ResponseStream``) ends within a moment of its client's leaving.
/// TLS is not offered. A process that serves ignores `SIGPIPE`.
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
    /// thread and stays there up to its first wait, so it must not block, as no `async` function may.
    public typealias Handler = @Sendable (ServerRequest) async -> ServerResponse

    /// Judges a request by its head, before a byte of its body is kept, and names its handler.
    ///
    /// It runs on a thread that serves other connections too, so it must not wait.
    public typealias Admission = @Sendable (ServerRequest.Head) -> Verdict

    /// Renders what the server refuses. The head is `nil` when it cannot be trusted.
    ///
    /// It runs on a thread that serves other connections too, so it must not wait. The status should be the refusal's.
    /// Nothing renders what libmicrohttpd answers itself: a `Content-Length` that is no number (400, or 413 for one of
    /// too many digits; 0.9.75 sends the head of these two twice and closes the connection), a line that is no field
    /// and a chunk that is none (400), a head beyond its memory (431 or 414), and an unknown HTTP version (505).
    public typealias RefusalRenderer = @Sendable (Refusal, ServerRequest.Head?) -> ServerResponse

    /// The address it listens on, as the configuration names it.
    public let address: String
    /// The port it listens on, also where the configuration asked for any.
    public let port: UInt16
    private let core: ServerCore
    private let housekeeper: Housekeeper

    /// Has one handler for all requests.
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
            // libmicrohttpd has closed the socket where it failed; a second close might hit another's descriptor.
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

    /// How many bytes of request bodies are held now, and how many were at the most.
    public var bufferedBytes: (now: Int, highest: Int) { (core.bodies.used, core.bodies.highest) }

    /// How many connections are open.
    public var connectionCount: Int { core.connections.count }

    /// Stops listening, lets the requests in hand be answered, then ends the server.
    ///
    /// Each answer closes its connection. What is unanswered at the deadline gets 503, and its handler is cancelled.
    /// Further calls wait for the same end.
    public func shutdown(deadline: Duration = .seconds(25)) async {
        await housekeeper.stop(within: deadline)
    }
}
