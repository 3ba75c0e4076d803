/// A port of 127.0.0.1 that refuses connections. It is bound, so that no other test is given it meanwhile.
public final class ClosedPort: Sendable {
    public let port: UInt16
    private let socket: Socket

    public init() {
        (socket, port) = Socket.bound()
    }

    public func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    deinit {
        socket.closeNow()
    }
}
