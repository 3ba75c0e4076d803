import Glibc
import Synchronization

/// One TCP connection, from libmicrohttpd's opening notice to its closing notice.
final class Connection: Sendable {
    /// What the connection is doing.
    enum Phase: UInt8, AtomicRepresentable {
        /// The next head is not complete.
        case waiting
        /// A head was accepted, and its response is not sent.
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
    /// The client may still be sending a body that was refused.
    let closesSlowly = Atomic(false)
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

    /// - Returns: `false` for a connection that was closed at the same moment.
    func beginRequest() -> Bool { move(from: .waiting, to: .busy) }

    func endRequest(order: Int) {
        waitingSince.store(order, ordering: .relaxed)
        _ = move(from: .busy, to: .waiting)
    }

    /// - Returns: `false` for one that has a request by now.
    func abandon() -> Bool { move(from: .waiting, to: .closing) }

    private func move(from old: Phase, to new: Phase) -> Bool {
        phase.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing).exchanged
    }

    // MARK: What it is busy with

    /// The exchange whose handler runs.
    var handledExchange: Exchange? {
        get { suspended.withLock { $0 } }
        set { suspended.withLock { $0 = newValue } }
    }

    /// The streamed body that is being sent.
    var stream: ResponseStream? {
        get { body.withLock { $0 } }
        set { body.withLock { $0 = newValue } }
    }

    // MARK: Time

    /// Lets the system close the connection to a client that accepts no bytes for this time (tcp(7)). By default it
    /// waits a quarter of an hour, in which the stream of a vanished client counts.
    func limitUnacknowledged(to milliseconds: Int64) {
        var value = UInt32(clamping: milliseconds)
        // If the system refuses, its own limit applies.
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &value, socklen_t(MemoryLayout<UInt32>.size))
    }

    func setDeadline(_ instant: Int64) { deadline.store(instant, ordering: .relaxed) }
}

/// The limits of connections.
struct ConnectionLimits {
    /// Connections that are accepted beyond the limits, so that vital paths are answered.
    static let spare = 64
    /// Connections that were shut down and not yet closed by libmicrohttpd.
    private static let closing = 192

    let all: Int
    private let perAddress: Int?

    init(_ configuration: HTTPServer.Configuration) {
        all = max(1, configuration.maxConnections)
        perAddress = configuration.maxConnectionsPerAddress
    }

    /// libmicrohttpd's limit. It stops accepting there, so it never has to refuse.
    var total: UInt32 { UInt32(clamping: all + Self.spare + Self.closing) }

    func limit(of group: AddressGroup) -> Int? {
        if let perAddress { return max(1, perAddress) }
        return group.isLoopback ? nil : HTTPServer.Configuration.maxConnectionsPerRemoteAddress
    }
}
