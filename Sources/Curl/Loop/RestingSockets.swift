import Linux

/// The sockets that a loop waits for, and those of slow bodies that it leaves alone for a second.
///
/// With hundreds of transfers, most reads of slow bodies bring few bytes. While a socket rests, its bytes stay in the
/// kernel, and one read then takes them together. This saves calls, and a buffer for each transfer.
struct RestingSockets {
    private let poll: SocketPoll
    /// What libcurl waits for.
    private var interests: [Int32: SocketPoll.Readiness] = [:]
    /// The turn at which each resting socket is read again.
    private var turns: [Int32: Int] = [:]
    private var sockets = [[Int32]](repeating: [], count: Self.turnCount)
    private var turn = 0

    /// The number of turns that a socket rests.
    private static let turnCount = 4

    init(poll: SocketPoll) {
        self.poll = poll
    }

    /// Waits for these events of a socket; for no events, forgets the socket. The socket does not rest any more.
    mutating func watch(_ socket: Int32, for readiness: SocketPoll.Readiness) {
        turns[socket] = nil
        guard !readiness.isEmpty else {
            interests[socket] = nil
            return poll.forget(socket)
        }
        interests[socket] = readiness
        // If the kernel cannot register another socket, the transfer ends at its timeout.
        try? poll.watch(socket, for: readiness)
    }

    /// Lets a socket rest, if libcurl waits for nothing but its bytes.
    mutating func rest(_ socket: Int32) {
        guard interests[socket] == .reading else { return }
        poll.forget(socket)
        turns[socket] = turn
        sockets[turn].append(socket)
    }

    /// Begins the next turn: waits again for the sockets that rested for all turns.
    mutating func beginTurn() {
        turn = (turn + 1) % Self.turnCount
        let rested = sockets[turn]
        sockets[turn] = []
        for socket in rested where turns[socket] == turn {
            turns[socket] = nil
            try? poll.watch(socket, for: .reading)
        }
    }
}

/// How fast a body arrives, over about a second.
struct BodyPace {
    private var since: ContinuousClock.Instant
    private var bytes: Int64 = 0
    /// True until the rate is measured.
    private(set) var isSlow = true
    /// No body is slow before then: the download may still measure how many connections are useful.
    private let settlesAt: ContinuousClock.Instant

    /// A body that is slower than this, in bytes per second, is slow: the kernel keeps what comes in a second.
    private static let slowest = 48.0 * 1024
    /// The end of a body is not delayed.
    private static let tail: Int64 = 128 << 10

    init(at now: ContinuousClock.Instant = .now) {
        since = now
        settlesAt = now + .seconds(10)
    }

    /// - Parameters:
    ///   - received: The received bytes.
    ///   - total: The length of the body; nil if it is unknown.
    ///   - now: The instant after the read of these bytes.
    /// - Returns: Whether what comes next may wait for a second.
    mutating func mayRest(_ received: Int64, of total: Int64?, at now: ContinuousClock.Instant) -> Bool {
        guard now >= settlesAt else { return false }
        let time = now - since
        if time >= .seconds(1) {
            let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
            isSlow = Double(received - bytes) / seconds < Self.slowest
            (since, bytes) = (now, received)
        }
        return isSlow && total.map { $0 - received > Self.tail } ?? true
    }
}
