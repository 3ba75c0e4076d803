import Core
import HTTPFields
import Synchronization

/// A proxy on loopback that leads every request to 127.0.0.1, whatever the host is called.
///
/// It ends when ``stop()`` is called.
public final class ProxyStub: Sendable {
    public enum Kind: Hashable, Sendable {
        case http
        case socks5
    }

    /// What it does with what it is asked.
    public enum Behaviour: Hashable, Sendable {
        case relay
        /// Answers an HTTP request with this status and a page, or a SOCKS request with this code.
        case refuse(code: Int)
        /// Hangs up before an answer.
        case hangUp
        /// Relays so many bytes of the answer and hangs up.
        case dropAfter(Int)
        /// Says that the tunnel is there, answers with this text itself, and hangs up.
        case respondInTunnel(String)
    }

    private struct State {
        var targets: [String] = []
        var heads: [String] = []
        var sockets: [Int32: Socket] = [:]
        var isStopped = false
    }

    public let port: UInt16
    private let kind: Kind
    private let behaviour: Behaviour
    private let credentials: String?
    private let listener: Socket
    private let state = Mutex(State())

    /// - Parameter credentials: `user:password` that it asks for; nil lets everyone in.
    public init(_ kind: Kind, _ behaviour: Behaviour = .relay, credentials: String? = nil) {
        self.kind = kind
        self.behaviour = behaviour
        self.credentials = credentials
        (listener, port) = Socket.listening()
        onNewThread { self.acceptConnections() }
    }

    /// The `host:port` of each request, or of each tunnel, in the order they came.
    public var targets: [String] { state.withLock { $0.targets } }
    /// The heads that an HTTP proxy was sent.
    public var heads: [String] { state.withLock { $0.heads } }

    /// Ends the listener and every connection. A second call does nothing.
    public func stop() {
        state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            listener.shutDown()
            for socket in state.sockets.values { socket.shutDown() }
        }
    }

    private func acceptConnections() {
        while let client = listener.accept() {
            onNewThread {
                self.keep(client)
                self.serve(client)
                self.release(client)
            }
        }
        listener.closeNow()
    }

    private func keep(_ socket: Socket) {
        state.withLock { state in
            state.sockets[socket.descriptor] = socket
            if state.isStopped { socket.shutDown() }
        }
    }

    private func release(_ socket: Socket) {
        state.withLock { state in
            state.sockets[socket.descriptor] = nil
            socket.closeNow()
        }
    }

    private func serve(_ client: Socket) {
        switch kind {
        case .http: serveHTTP(client)
        case .socks5: serveSOCKS(client)
        }
    }

    // MARK: - HTTP

    private func serveHTTP(_ client: Socket) {
        var received: [UInt8] = []
        while received.firstRange(of: Array("\r\n\r\n".utf8)) == nil {
            let bytes = client.read()
            if bytes.isEmpty { return }
            received += bytes
        }
        let head = String(decoding: received, as: UTF8.self)
        let words = head.split(separator: " ", maxSplits: 2)
        let isTunnel = words[0] == "CONNECT"
        let authority = isTunnel ? String(words[1]) : String(words[1].split(separator: "/")[1])
        state.withLock { state in
            state.heads.append(head)
            state.targets.append(authority)
        }
        if let credentials, Self.login(head) != Array(credentials.utf8) {
            respond(407, "Proxy-Authenticate: Basic realm=\"p\"\r\n", client)
        } else if case .refuse(let code) = behaviour {
            respond(code, "", client)
        } else if behaviour != .hangUp, let port = UInt16(authority.split(separator: ":").last ?? "") {
            if isTunnel {
                guard client.write(Array("HTTP/1.1 200 Connected\r\nX-Proxy: yes\r\n\r\n".utf8)) else { return }
                if case .respondInTunnel(let text) = behaviour {
                    _ = client.write(Array(text.utf8))
                } else {
                    relay(client, to: port, first: [], prefix: nil)
                }
            } else {
                relay(client, to: port, first: received, prefix: "http://\(authority)")
            }
        }
    }

    private static func login(_ head: String) -> [UInt8]? {
        let prefix = "Proxy-Authorization: Basic "
        let line = head.split(separator: "\r\n").first { $0.hasPrefix(prefix) }
        return line.flatMap { Base64.decode($0.dropFirst(prefix.count).utf8) }
    }

    private func respond(_ status: Int, _ fields: String, _ client: Socket) {
        let page = "<html><body>this is the proxy</body></html>\n"
        let head = "HTTP/1.1 \(status) No\r\n\(fields)Content-Type: text/html\r\nContent-Length: \(page.utf8.count)\r\n"
        _ = client.write(Array("\(head)Connection: close\r\n\r\n\(page)".utf8))
    }

    // MARK: - SOCKS 5 (RFC 1928, RFC 1929)

    private func serveSOCKS(_ client: Socket) {
        let method: UInt8 = credentials == nil ? 0 : 2
        let greeting = client.read()
        guard greeting.count > 2, greeting.dropFirst(2).contains(method) else {
            _ = client.write([5, 255])
            return
        }
        guard client.write([5, method]) else { return }
        if let credentials {
            let login = client.read()
            var expected: [UInt8] = [1]
            for half in credentials.split(separator: ":") { expected += [UInt8(half.utf8.count)] + Array(half.utf8) }
            guard client.write([1, login == expected ? 0 : 1]), login == expected else { return }
        }
        let request = client.read()
        guard request.count > 6, behaviour != .hangUp else { return }
        let port = UInt16(request[request.count - 2]) << 8 | UInt16(request[request.count - 1])
        let host =
            request[3] == 3
            ? String(decoding: request[5..<request.count - 2], as: UTF8.self)
            : request[4..<request.count - 2].map { "\($0)" }.joined(separator: ".")
        state.withLock { $0.targets.append("\(host):\(port)") }
        if case .refuse(let code) = behaviour {
            _ = client.write([5, UInt8(code), 0, 1, 0, 0, 0, 0, 0, 0])
        } else if client.write([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]) {
            relay(client, to: port, first: [], prefix: nil)
        }
    }

    // MARK: - Both ways

    /// - Parameter prefix: What is taken away from the targets of the client's requests.
    private func relay(_ client: Socket, to port: UInt16, first: [UInt8], prefix: String?) {
        guard let server = Socket.connected(to: port) else { return }
        keep(server)
        let isDone = Signal()
        onNewThread {
            self.copyResponses(from: server, to: client)
            client.shutDown()
            isDone.fire()
        }
        var bytes = first
        repeat {
            if let prefix {
                let text = String(decoding: bytes, as: UTF8.self)
                bytes = Array(text.replacing(prefix, with: "").utf8)
            }
            if !server.write(bytes) { break }
            bytes = client.read()
        } while !bytes.isEmpty
        server.shutDown()
        isDone.waitBlocking(or: isDone)
        release(server)
    }

    private func copyResponses(from server: Socket, to client: Socket) {
        var left = Int.max
        if case .dropAfter(let count) = behaviour { left = count }
        while left > 0 {
            let bytes = server.read().prefix(left)
            left -= bytes.count
            guard !bytes.isEmpty, client.write(Array(bytes)) else { return }
        }
    }
}
