import Glibc

/// Two sockets that are each other's peer.
public final class SocketPair {
    public let near: Int32
    private var far: Int32?

    public init() {
        var ends: [Int32] = [-1, -1]
        precondition(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        (near, far) = (ends[0], ends[1])
    }

    deinit {
        close(near)
        closeFar()
    }

    public func writeFar() {
        if let far { precondition(write(far, "x", 1) == 1) }
    }

    /// A program that another test starts right now may hold a copy of the socket until it is loaded: a mere close
    /// would not end the stream before then.
    public func closeFar() {
        if let far {
            shutdown(far, Int32(SHUT_RDWR))
            close(far)
        }
        far = nil
    }
}
