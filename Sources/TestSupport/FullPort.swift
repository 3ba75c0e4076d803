/// A port of 127.0.0.1 whose queue is full: whoever connects to it hears nothing, neither yes nor no.
public final class FullPort: Sendable {
    public let port: UInt16
    private let listener: Socket
    /// What fills the queue.
    private let waiting: Socket?

    public init() {
        (listener, port) = Socket.bound()
        listener.listen(backlog: 0)
        waiting = Socket.connected(to: port)
    }

    deinit {
        waiting?.closeNow()
        listener.closeNow()
    }
}
