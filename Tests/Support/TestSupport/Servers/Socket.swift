import Glibc

/// A TCP socket on loopback with blocking calls, for threads of our own.
///
/// Its number is closed once, by its owner; until then `shutdown` may end a blocked call from another thread.
struct Socket: Sendable {
    let descriptor: Int32

    /// Has a free port of 127.0.0.1, where connections are refused until ``listen(backlog:)``.
    static func bound() -> (socket: Socket, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutableBytes(of: &address) { bytes in
            // The buffer of a local variable always has an address.
            let address = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            guard bind(descriptor, address, length) == 0 else { return errno }
            return getsockname(descriptor, address, &length) == 0 ? 0 : errno
        }
        precondition(code == 0, "no port to listen on: \(code)")
        return (Socket(descriptor: descriptor), UInt16(bigEndian: address.sin_port))
    }

    /// Listens on a free port of 127.0.0.1.
    static func listening() -> (socket: Socket, port: UInt16) {
        let (socket, port) = bound()
        socket.listen()
        return (socket, port)
    }

    /// - Parameter backlog: How many connections beside one may wait to be accepted.
    func listen(backlog: Int32 = 1024) {
        precondition(Glibc.listen(descriptor, backlog) == 0, "no port to listen on: \(errno)")
    }

    /// Connects to a port of 127.0.0.1; nil where nobody listens.
    ///
    /// - Parameter takesLittle: Whether it takes next to nothing before it is read, so that the peer is held back soon.
    static func connected(to port: UInt16, takesLittle: Bool = false) -> Socket? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if takesLittle { Socket(descriptor: descriptor).takeLittle() }
        // A server that never answers fails a test instead of holding it up forever.
        var timeout = timeval(tv_sec: 90, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafeBytes(of: &address) {
            // The buffer of a local variable always has an address.
            connect(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
        guard code == 0 else {
            close(descriptor)
            return nil
        }
        return Socket(descriptor: descriptor)
    }

    /// Makes the kernel take next to nothing that is not read; on a listener, the same for the sockets it accepts.
    func takeLittle() {
        var size: Int32 = 4 << 10
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    /// - Returns: nil once the socket is shut down. A connection that is gone already is passed over.
    func accept() -> Socket? {
        while true {
            let connection = Glibc.accept(descriptor, nil, nil)
            if connection >= 0 {
                // A program that a test starts would keep the connection open.
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                return Socket(descriptor: connection)
            }
            if errno == EINVAL || errno == EBADF { return nil }
        }
    }

    /// - Returns: Empty at the end of the stream or after an error.
    func read() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 16 << 10) { buffer, count in
            count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0))
        }
    }

    /// - Returns: False once the peer has gone.
    func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Waits until the peer's kernel has all that was written, or the connection is gone.
    func awaitAcknowledgement() {
        var count: Int32 = 0
        while ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0, count > 0 {
            var pause = timespec(tv_sec: 0, tv_nsec: 1_000_000)
            nanosleep(&pause, nil)
        }
    }

    /// Keeps little of what is written on its way, so that a pace that is kept here is kept at the other end.
    func sendSmallBuffers() {
        var size: Int32 = 64 << 10
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Ends both directions and every blocked call on them; the number stays taken.
    func shutDown() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Makes the later close send RST in place of FIN.
    func resetOnClose() {
        var value = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }

    func closeNow() {
        close(descriptor)
    }
}

/// Runs `body` on a detached thread, where it may block.
func onNewThread(_ body: @escaping @Sendable () -> Void) {
    final class Body: Sendable {
        let call: @Sendable () -> Void
        init(_ call: @escaping @Sendable () -> Void) { self.call = call }
    }
    let context = Unmanaged.passRetained(Body(body)).toOpaque()
    var thread = pthread_t()
    let code = pthread_create(
        &thread,
        nil,
        { context in
            // It is passed three lines below.
            Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().call()
            return nil
        },
        context
    )
    precondition(code == 0, "no thread: \(code)")
    pthread_detach(thread)
}

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
