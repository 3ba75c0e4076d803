internal import Glibc
internal import Synchronization

/// One TCP connection, from libmicrohttpd's opening notice to its closing notice.
final class Connection: Sendable {
    let descriptor: Int32
    let remoteAddress: String
    /// When the connection is cut, on ``MonotonicClock``.
    let deadline: Atomic<Int64>
    /// A request was accepted and its answer is not sent.
    let isBusy = Atomic(false)
    /// The client may still be sending what we refused to read.
    let lingers = Atomic(false)
    private let suspended = Mutex<Exchange?>(nil)
    private let body = Mutex<ResponseStream?>(nil)

    init(descriptor: Int32, remoteAddress: String, deadline: Int64) {
        self.descriptor = descriptor
        self.remoteAddress = remoteAddress
        self.deadline = Atomic(deadline)
    }

    /// The exchange whose handler runs.
    var handledExchange: Exchange? {
        get { suspended.withLock { $0 } }
        set { suspended.withLock { $0 = newValue } }
    }

    /// The body that is being sent, where it comes piece by piece.
    var stream: ResponseStream? {
        get { body.withLock { $0 } }
        set { body.withLock { $0 = newValue } }
    }

    /// Lets the system give the client up that takes nothing of what is sent for so long (tcp(7)). By itself it goes on
    /// for a quarter of an hour, in which the stream of a client that vanished without a word counts.
    func limitUnacknowledged(to milliseconds: Int64) {
        var value = UInt32(clamping: milliseconds)
        // Where the system refuses, its own limit holds.
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &value, socklen_t(MemoryLayout<UInt32>.size))
    }

    func setDeadline(_ instant: Int64) { deadline.store(instant, ordering: .relaxed) }
}
