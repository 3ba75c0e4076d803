import Synchronization

/// A server on loopback that receives the bodies of requests as its script says: HTTP/1.1 in clear text, bodies with
/// `Content-Length`.
///
/// Each request takes the next ``Step``; the last one repeats. The server ends when ``stop()`` is called.
public final class UploadServer: Sendable {
    /// What it does with a request: receive, wait, respond, end.
    public struct Step: Sendable {
        public enum End: Sendable {
            /// The rest of the body is received, and the connection serves another request.
            case kept
            /// The rest of the body is received, and the connection is closed.
            case closed
            /// The connection is reset at once: bytes that nobody has read turn its end into a reset.
            case reset
        }

        /// How many bytes of the body are received before the response; all if it has fewer.
        public var byteCount = Int.max
        /// Nothing more is received until the signal is fired.
        public var pause: Signal?
        /// The whole response; nil for none.
        public var response: String? = UploadServer.response(200)
        public var end = End.kept

        public init(_ change: (inout Step) -> Void = { _ in }) {
            change(&self)
        }
    }

    /// A request with as much of its body as came.
    public struct Request: Sendable {
        /// The number of its connection, from 0.
        public let connection: Int
        public let head: RecordedRequest
        public internal(set) var body: [UInt8] = []
        /// Whether no more of it will come.
        public internal(set) var isOver = false
    }

    private struct State {
        var requests: [Request] = []
        var sockets: [Int32: Socket] = [:]
        var connectionCount = 0
        var isStopped = false
    }

    public let port: UInt16
    /// Posted when a request has come, when a step has received its bytes, and when a request is over.
    public let changes = Changes()
    private let script: [Step]
    private let listener: Socket
    private let isStopped = Signal()
    private let state = Mutex(State())

    /// - Parameter takesLittle: Whether the kernel takes next to nothing that the server does not read, so that the
    ///   client is held back soon.
    public init(_ script: [Step] = [Step()], takesLittle: Bool = false) {
        self.script = script
        (listener, port) = Socket.bound()
        if takesLittle { listener.takeLittle() }
        listener.listen()
        onNewThread { self.acceptConnections() }
    }

    public func url(_ path: String = "/file") -> String { "http://127.0.0.1:\(port)\(path)" }

    /// A response with a short text as its body.
    public static func response(_ status: Int, fields: [String] = []) -> String {
        let text = "status \(status)"
        let lines = ["HTTP/1.1 \(status) Status", "Content-Length: \(text.utf8.count)"] + fields
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + text
    }

    /// All requests in the order they came.
    public var requests: [Request] { state.withLock { $0.requests } }

    /// Waits for a state of the requests.
    @discardableResult
    public func requests(_ expected: String, _ isReached: ([Request]) -> Bool) async throws -> [Request] {
        try await waitUntil(expected, after: changes, look: { requests }, is: isReached)
    }

    /// Ends the listener and every connection. A second call does nothing.
    public func stop() {
        isStopped.fire()
        state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            listener.shutDown()
            for socket in state.sockets.values { socket.shutDown() }
        }
    }

    private func acceptConnections() {
        while let socket = listener.accept() {
            let number = state.withLock { state in
                state.sockets[socket.descriptor] = socket
                if state.isStopped { socket.shutDown() }
                defer { state.connectionCount += 1 }
                return state.connectionCount
            }
            onNewThread {
                var connection = UploadConnection(socket: socket, number: number, server: self)
                connection.run()
                self.state.withLock { state in
                    state.sockets[socket.descriptor] = nil
                    socket.closeNow()
                }
            }
        }
        listener.closeNow()
    }

    func begin(_ request: Request) -> (index: Int, step: Step) {
        let index = state.withLock { state in
            state.requests.append(request)
            return state.requests.count - 1
        }
        changes.post()
        return (index, script[min(index, script.count - 1)])
    }

    func update(_ index: Int, _ change: (inout Request) -> Void) {
        state.withLock { change(&$0.requests[index]) }
    }

    func wait(for signal: Signal) { signal.waitBlocking(or: isStopped) }
}
