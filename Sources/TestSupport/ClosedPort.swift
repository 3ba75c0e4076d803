/// A port of 127.0.0.1 that refuses connections. It is bound, so that no other test is given it meanwhile.
public final class ClosedPort: Sendable {
    public let port: UInt16
    private let socket: Socket

    public init() {
        (socket, port) = Socket.bound()
    }

    deinit {
        socket.closeNow()
    }
}
