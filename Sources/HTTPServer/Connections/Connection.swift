import Glibc
import Synchronization

/// One TCP connection, from libmicrohttpd's opening notification to its closing notification.
final class Connection: Sendable {
    /// The state of a connection.
    enum Phase: UInt8, AtomicRepresentable {
        /// The next head has not arrived completely.
        case waiting
        /// A head was accepted and its response has not been sent completely.
        case busy
        /// The connection was shut down to make room for another one.
        case closing
    }

    let descriptor: Int32
    let remoteAddress: String
    let group: AddressGroup
    /// When the connection is closed, on ``MonotonicClock``.
    let deadline: Atomic<Int64>
    /// The order in which connections began to wait. The lowest number has waited the longest.
    let waitingSince: Atomic<Int>
    /// Whether the connection exceeds the limits. It serves only one request, and only for a vital path.
    let isSpare = Atomic(false)
    /// Whether it is a spare whose request was refused, because its path is not vital.
    let isRefused = Atomic(false)
    /// Whether the client may still be sending a refused body.
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

    /// - Returns: `false` if the connection was closed at the same moment.
    func beginRequest() -> Bool { move(from: .waiting, to: .busy) }

    func endRequest(order: Int) {
        waitingSince.store(order, ordering: .relaxed)
        _ = move(from: .busy, to: .waiting)
    }

    /// - Returns: `false` if the connection has received a request.
    func abandon() -> Bool { move(from: .waiting, to: .closing) }

    /// Like ``abandon()``, for a connection whose refusal may not have been sent.
    func abandonRefused() -> Bool { isRefused.load(ordering: .relaxed) && move(from: .busy, to: .closing) }

    private func move(from old: Phase, to new: Phase) -> Bool {
        phase.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing).exchanged
    }

    // MARK: Current request

    /// The exchange whose handler is running.
    var handledExchange: Exchange? {
        get { suspended.withLock { $0 } }
        set { suspended.withLock { $0 = newValue } }
    }

    /// The streamed body that is being sent.
    var stream: ResponseStream? {
        get { body.withLock { $0 } }
        set { body.withLock { $0 = newValue } }
    }

    // MARK: The client's end

    /// Makes libmicrohttpd read on, if the client has closed its side of the connection and all its bytes were read.
    ///
    /// libmicrohttpd waits for the edges of epoll(7), and forgets one that comes with the last bytes of a request or
    /// while the handler runs. It would keep such a connection until the idle timeout. Shutting the receiving side
    /// down makes another edge.
    func announceEnd() {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        if count == 0 { shutdown(descriptor, Int32(SHUT_RD)) }
    }

    // MARK: Time

    /// Limits the time for which the client may leave sent bytes unacknowledged; the system then closes the connection
    /// (tcp(7)). The default is about 15 minutes, during which the stream of a vanished client would count as open.
    func limitUnacknowledged(to milliseconds: Int64) {
        var value = UInt32(clamping: milliseconds)
        // If the call fails, the system's default applies.
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &value, socklen_t(MemoryLayout<UInt32>.size))
    }

    func setDeadline(_ instant: Int64) { deadline.store(instant, ordering: .relaxed) }
}

/// The limits of connections.
struct ConnectionLimits {
    /// Connections accepted beyond the limits, so that vital paths stay available.
    static let spare = 64
    /// Connections that were shut down but not yet closed by libmicrohttpd.
    private static let closing = 192

    let all: Int
    private let perAddress: Int?

    init(_ configuration: HTTPServer.Configuration) {
        all = max(1, configuration.maxConnections)
        perAddress = configuration.maxConnectionsPerAddress
    }

    /// The limit for libmicrohttpd. It stops accepting at this number instead of refusing connections.
    var total: UInt32 { UInt32(clamping: all + Self.spare + Self.closing) }

    func limit(of group: AddressGroup) -> Int? {
        if let perAddress { return max(1, perAddress) }
        return group.isLoopback ? nil : HTTPServer.Configuration.maxConnectionsPerRemoteAddress
    }
}
