import Synchronization

/// An FTP server on loopback (RFC 959) that misbehaves as its script says.
///
/// Each control connection takes the next ``FTPBehaviour`` of the script; the last one repeats. It ends when ``stop()``
/// is called.
public final class FTPServer: Sendable {
    private struct State {
        var sessions: [[String]] = []
        var sockets: [Int32: Socket] = [:]
        var isStopped = false
    }

    public let port: UInt16
    public let content: Content
    private let script: [FTPBehaviour]
    /// Nil in clear text; otherwise TLS comes first, on both connections.
    let tls: TLSServer?
    private let listener: Socket
    private let state = Mutex(State())

    public init(_ content: Content, script: [FTPBehaviour] = [.good], tls: TLSServer? = nil) {
        self.content = content
        self.tls = tls
        self.script = script
        (listener, port) = Socket.listening()
        onNewThread { self.acceptConnections() }
    }

    public func url(_ path: String = "/file.bin", scheme: String = "ftp", user: String = "") -> String {
        "\(scheme)://\(user)127.0.0.1:\(port)\(path)"
    }

    /// The commands of each control connection, in the order they came.
    public var sessions: [[String]] { state.withLock { $0.sessions } }

    /// Fired for each data connection that was accepted.
    public let dataConnections = Signal()

    /// Ends the listener and every connection. A second call does nothing.
    public func stop() {
        state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            listener.shutDown()
            for socket in state.sockets.values { socket.shutDown() }
        }
    }

    func record(_ command: String, of session: Int) {
        state.withLock { $0.sessions[session].append(command) }
    }

    /// - Returns: Nil where the peer speaks no TLS.
    func stream(on socket: Socket) -> OriginStream? {
        guard let tls else { return OriginStream(socket: socket, tls: nil) }
        return tls.accept(socket).map { OriginStream(socket: socket, tls: $0) }
    }

    func keep(_ socket: Socket) {
        state.withLock { state in
            state.sockets[socket.descriptor] = socket
            if state.isStopped { socket.shutDown() }
        }
    }

    func release(_ socket: Socket) {
        state.withLock { state in
            state.sockets[socket.descriptor] = nil
            socket.closeNow()
        }
    }

    private func acceptConnections() {
        while let socket = listener.accept() {
            keep(socket)
            let number = state.withLock { state in
                state.sessions.append([])
                return state.sessions.count - 1
            }
            let behaviour = script[min(number, script.count - 1)]
            onNewThread {
                if let stream = self.stream(on: socket) {
                    var session = FTPSession(number: number, behaviour: behaviour, server: self, control: stream)
                    session.run()
                }
                self.release(socket)
            }
        }
        listener.closeNow()
    }
}

/// How an ``FTPServer`` serves one control connection. As it is made, it is a good server; each member spoils one
/// thing.
public struct FTPBehaviour: Sendable {
    public enum Restart: Hashable, Sendable {
        case honoured
        /// 502 to REST.
        case refused
        /// 350 to REST, and the whole file all the same.
        case ignored
    }

    public enum BodyEnd: Hashable, Sendable {
        case complete
        /// Both connections end after so many bytes of the body.
        case cut(after: Int64)
        /// The data connection ends after so many bytes, and the server says that this was all.
        case short(after: Int64)
        /// More bytes than SIZE said.
        case longer(by: Int64)
        /// All bytes, and this reply in place of 226.
        case reply(Int)
        /// All bytes; then the data connection stays open until the peer ends it.
        case silent
    }

    public enum Passive: Hashable, Sendable {
        case extended
        /// EPSV is unknown, and PASV names this address, as `10,0,0,1`.
        case named(String)
    }

    /// Of the content, whose time differs with it.
    public var version = 0
    /// The version whose bytes are sent, where it is not the one that SIZE and MDTM speak of.
    public var sentVersion: Int?
    public var tellsSize = true
    public var tellsTime = true
    public var restart = Restart.honoured
    public var ending = BodyEnd.complete
    public var passive = Passive.extended
    /// Whether there is such a file.
    public var hasFile = true
    /// The reply to the password; nil for a login that succeeds.
    public var refusal: Int?
    /// What the reply says that the data follow.
    public var openingText = "so it is"
    /// The greeting.
    public var greeting = 220
    /// The command at which the control connection ends without a reply.
    public var hangUpAt: String?

    public init() {}

    /// A good server, with changes.
    public init(_ change: (inout FTPBehaviour) -> Void) {
        change(&self)
    }

    public static let good = FTPBehaviour()
}
