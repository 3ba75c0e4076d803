internal import Glibc
internal import Synchronization

/// One TCP connection, from libmicrohttpd's opening notice to its closing notice.
final class Connection: Sendable {
    /// What the connection is doing.
    enum Phase: UInt8, AtomicRepresentable {
        /// The next head is not complete.
        case waiting
        /// A head was accepted, and its answer is not sent.
        case busy
        /// The connection was shut down to make room for another one.
        case closing
    }

    let descriptor: Int32
    let remoteAddress: String
    let group: AddressGroup
    /// When the connection is cut, on ``MonotonicClock``.
    let deadline: Atomic<Int64>
    /// The order in which connections began to wait: the lowest number has waited longest.
    let waitingSince: Atomic<Int>
    /// The connection has no place: only a request for a vital path is answered, and nothing after it.
    let isSpare = Atomic(false)
    /// The client may still be sending what we refused to read.
    let lingers = Atomic(false)
    private let phase = Atomic(Phase.waiting)
    private let suspended = Mutex<Exchange?>(nil)
    private let body = Mutex<ResponseStream?>(nil)

    init(descriptor: Int32, remoteAddress: String, group: AddressGroup, deadline: Int64, order: Int) {
        self.descriptor = descriptor
        self.remoteAddress = remoteAddress
        self.group = group
        self.deadline = Atomic(deadline)
        waitingSince = Atomic(order)
    }

    // MARK: Phases

    var isBusy: Bool { phase.load(ordering: .relaxed) == .busy }

    var isWaiting: Bool { phase.load(ordering: .relaxed) == .waiting }

    /// - Returns: `false` for a connection that was given up at the same moment.
    func beginRequest() -> Bool { move(from: .waiting, to: .busy) }

    func endRequest(order: Int) {
        waitingSince.store(order, ordering: .relaxed)
        _ = move(from: .busy, to: .waiting)
    }

    /// - Returns: `false` for one that has a request by now.
    func giveUp() -> Bool { move(from: .waiting, to: .closing) }

    private func move(from old: Phase, to new: Phase) -> Bool {
        phase.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing).exchanged
    }

    // MARK: What it is busy with

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

    // MARK: Time

    /// Lets the system give the client up that takes nothing of what is sent for so long (tcp(7)). By itself it goes on
    /// for a quarter of an hour, in which the stream of a client that vanished without a word counts.
    func limitUnacknowledged(to milliseconds: Int64) {
        var value = UInt32(clamping: milliseconds)
        // Where the system refuses, its own limit holds.
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &value, socklen_t(MemoryLayout<UInt32>.size))
    }

    func setDeadline(_ instant: Int64) { deadline.store(instant, ordering: .relaxed) }
}
