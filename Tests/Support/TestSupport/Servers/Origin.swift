import Synchronization

/// An HTTP server on loopback that misbehaves as its script says.
///
/// Each request takes the next ``Behaviour`` of its path's script, or else of the origin's; the last one repeats.
/// It ends when ``stop()`` is called.
public final class Origin: Sendable {
    /// The clock of every origin stands still.
    public static let date = "Tue, 15 Nov 1994 08:12:31 GMT"

    private struct Route {
        var content: Content
        var script: [Behaviour]
        var requestCount = 0
    }

    private struct State {
        var fallback: Route
        var routes: [String: Route] = [:]
        var requests: [RecordedRequest] = []
        var connections: [Int32: Socket] = [:]
        var connectionCount = 0
        var sentBytes: [String: Int64] = [:]
        var sentTotal: Int64 = 0
        var isListening = true
    }

    public let port: UInt16
    /// Fired for each response that was sent whole; for one that stalled on the way once the peer's kernel has it.
    public let responses = Signal()
    /// Fired for each MiB of bodies that was sent, of all paths together; over HTTP/1.1 alone.
    public let mebibytes = Signal()
    /// Posted when a request has come, and when a connection was accepted or has ended.
    public let changes = Changes()
    let isStopped = Signal()
    private let listener: Socket
    private let tls: TLSServer?
    private let servesOneConnection: Bool
    private let state: Mutex<State>
    private let requestCount = Signal()

    /// - Parameters:
    ///   - isOpen: False for one whose port refuses every connection until ``open()``.
    ///   - tls: Nil for clear text.
    ///   - servesOneConnection: Whether the next connection is looked at only once the one before has ended, as a
    ///     server with a single thread does.
    public init(
        _ content: Content = Content(size: 1000),
        script: [Behaviour] = [.good],
        isOpen: Bool = true,
        tls: TLSServer? = nil,
        servesOneConnection: Bool = false
    ) {
        self.tls = tls
        self.servesOneConnection = servesOneConnection
        (listener, port) = Socket.bound()
        state = Mutex(State(fallback: Route(content: content, script: script)))
        if isOpen { open() }
    }

    /// Begins to accept connections; to be called once.
    public func open() {
        listener.listen()
        onNewThread { self.acceptConnections() }
    }

    /// "http://127.0.0.1:port", or "https://…", without a path.
    public var base: String { "\(tls == nil ? "http" : "https")://127.0.0.1:\(port)" }

    public func url(_ path: String = "/file") -> String { base + path }

    /// Gives one path its own content and script.
    public func serve(_ path: String, _ content: Content, script: [Behaviour] = [.good]) {
        state.withLock { $0.routes[path] = Route(content: content, script: script) }
    }

    /// All that was asked, in the order it came.
    public var requests: [RecordedRequest] { state.withLock { $0.requests } }

    /// How many connections were accepted.
    public var connectionCount: Int { state.withLock { $0.connectionCount } }

    /// How many of them have not ended.
    public var openConnectionCount: Int { state.withLock { $0.connections.count } }

    /// How many bytes of bodies were sent from a path, each as often as it was; over HTTP/1.1 alone. What the peer has
    /// not read is among them.
    public func sentBytes(of path: String) -> Int64 { state.withLock { $0.sentBytes[path] ?? 0 } }

    /// Waits until `count` requests have come, and returns all that have.
    @discardableResult
    public func requests(atLeast count: Int) async -> [RecordedRequest] {
        await requestCount.wait(for: count)
        return requests
    }

    /// Ends the listener and every connection; stalled ones too. A second call does nothing.
    public func stop() {
        isStopped.fire()
        // Under the lock, under which sockets are closed: a number that was closed may be someone else's by now.
        state.withLock { state in
            if state.isListening { listener.shutDown() }
            for connection in state.connections.values { connection.shutDown() }
        }
    }

    func record(_ request: RecordedRequest) -> (Behaviour, Content, number: Int) {
        let result = state.withLock { state in
            state.requests.append(request)
            if state.routes[request.path] == nil { return Self.next(&state.fallback) }
            return Self.next(&state.routes[request.path, default: state.fallback])
        }
        requestCount.fire()
        changes.post()
        return result
    }

    func recordSent(_ count: Int, from path: String) {
        let mebibyte: Int64 = 1 << 20
        let passed = state.withLock { state in
            state.sentBytes[path, default: 0] += Int64(count)
            defer { state.sentTotal += Int64(count) }
            return (state.sentTotal + Int64(count)) / mebibyte - state.sentTotal / mebibyte
        }
        for _ in 0..<passed { mebibytes.fire() }
    }

    private static func next(_ route: inout Route) -> (Behaviour, Content, number: Int) {
        let number = route.requestCount
        route.requestCount += 1
        return (route.script[min(number, route.script.count - 1)], route.content, number)
    }

    private func serve(_ socket: Socket) {
        let session = tls?.accept(socket)
        guard (session == nil) == (tls == nil) else { return }
        if session?.speaksHTTP2 == true {
            HTTP2Connection(stream: OriginStream(socket: socket, tls: session), origin: self).run()
        } else {
            var connection = OriginConnection(socket: socket, tls: session, origin: self)
            connection.run()
        }
    }

    private func serveToItsEnd(_ socket: Socket) {
        serve(socket)
        state.withLock { state in
            state.connections[socket.descriptor] = nil
            socket.closeNow()
        }
        changes.post()
    }

    private func acceptConnections() {
        while let socket = listener.accept() {
            state.withLock { state in
                state.connections[socket.descriptor] = socket
                state.connectionCount += 1
            }
            changes.post()
            if servesOneConnection { serveToItsEnd(socket) } else { onNewThread { self.serveToItsEnd(socket) } }
        }
        state.withLock { state in
            state.isListening = false
            listener.closeNow()
        }
    }
}

/// The bytes of a connection, over TLS or in clear text.
struct OriginStream {
    let socket: Socket
    let tls: TLSSession?

    /// - Returns: Empty at the end of the stream or after an error.
    func read() -> [UInt8] { tls.map { $0.read() } ?? socket.read() }

    /// - Returns: False once the peer has gone.
    func write(_ bytes: [UInt8]) -> Bool { tls.map { $0.write(bytes) } ?? socket.write(bytes) }

    /// In clear text nothing tells that they were damaged.
    func writeDamaged(_ bytes: [UInt8]) {
        _ = tls.map { $0.write(bytes, isDamaged: true) } ?? socket.write(bytes)
    }

    func sayGoodbye() { tls?.sayGoodbye() }
}
