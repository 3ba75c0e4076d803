import Core
import TransferRules

/// The token buckets of all limits, and the transfers that wait for them. These are the rules of ``RateLimiter``,
/// without locks and timers.
///
/// A transfer that finds a bucket empty reserves a small piece, which the bucket then owes. The transfer is resumed
/// when tokens for the piece are available. Transfers that share a bucket are therefore served in turn, and none is
/// resumed too early.
struct RateAllocator {
    struct Consumer {
        let rate: Int
        let authority: String
        let resume: @Sendable () -> Void
        /// Bytes that may be received now.
        var allowed = 0
        /// The reserved bytes, and when their tokens are available.
        var order: (byteCount: Int, due: Duration)?
    }

    private struct Rate {
        var bucket: TokenBucket
        var revision: Int64
        let session: SessionName?
        /// Until when one of its transfers waits; nil if none has waited.
        var blockedUntil: Duration?
    }

    private struct Session {
        var bucket: TokenBucket
        var revision: Int64
        /// The number of rates in this session. The entry is removed with the last one.
        var rates = 0
    }

    private struct Host {
        var bucket: TokenBucket
        var consumers = 0
    }

    private var server: TokenBucket
    private(set) var shared: SharedRates
    /// The number of the change that set `shared`.
    private var sharedNumber = 0
    private var hosts: [String: Host] = [:]
    private var rates: [Int: Rate] = [:]
    private var limitedRates = 0
    private var sessions: [SessionName: Session] = [:]
    private var limitedSessions = 0
    private var consumers: [Int: Consumer] = [:]
    private var lastNumber = 0

    /// The duration of one piece at the limit. Small pieces let the transfers that share a limit alternate often.
    private static let pieceTime = Duration.milliseconds(20)
    private static let leastPiece = 1 << 10
    /// The shortest timer. Tokens that accumulate while a timer is late count towards the next piece.
    private static let leastWait = Duration.milliseconds(5)

    init(_ shared: SharedRates = SharedRates(), at now: Duration) {
        server = TokenBucket(rate: shared.server, at: now)
        self.shared = shared
    }

    /// Whether any limit is set.
    var isLimiting: Bool {
        shared.server != nil || shared.perHost != nil || !shared.hosts.isEmpty || limitedRates + limitedSessions > 0
    }

    /// When to resume the next waiting transfer; nil if none waits.
    var nextDue: Duration? { consumers.values.compactMap { $0.order?.due }.min() }

    /// Whether there are transfers and all of them wait.
    var areAllWaiting: Bool { !consumers.isEmpty && consumers.values.allSatisfy { $0.order != nil } }

    // MARK: - Shared limits

    /// - Parameter number: Increases with each change. A call with an older number is ignored.
    mutating func setShared(_ rates: SharedRates, number: Int, at now: Duration) {
        guard number > sharedNumber else { return }
        sharedNumber = number
        shared = rates
        server.setRate(rates.server, at: now)
        for authority in hosts.keys { hosts[authority]?.bucket.setRate(rates.rate(ofHost: authority), at: now) }
        for number in self.rates.keys { reschedule(rate: number, at: now) }
    }

    // MARK: - Download limits

    /// - Parameter session: The limit of the download's session, as known to the caller.
    mutating func addRate(
        _ bytesPerSecond: Int64?,
        revision: Int64,
        session: SessionRate? = nil,
        at now: Duration
    ) -> Int {
        lastNumber += 1
        if bytesPerSecond != nil { limitedRates += 1 }
        rates[lastNumber] = Rate(
            bucket: TokenBucket(rate: bytesPerSecond, at: now),
            revision: revision,
            session: session?.name
        )
        if let session { join(session, at: now) }
        return lastNumber
    }

    mutating func removeRate(_ number: Int) {
        guard let rate = rates.removeValue(forKey: number) else { return }
        if rate.bucket.rate != nil { limitedRates -= 1 }
        if let session = rate.session { leave(session) }
    }

    mutating func setRate(_ number: Int, to bytesPerSecond: Int64?, revision: Int64, at now: Duration) {
        guard let rate = rates[number], revision >= rate.revision else { return }
        limitedRates += (bytesPerSecond == nil ? 0 : 1) - (rate.bucket.rate == nil ? 0 : 1)
        rates[number]?.revision = revision
        rates[number]?.bucket.setRate(bytesPerSecond, at: now)
        reschedule(rate: number, at: now)
    }

    /// Reschedules waiting transfers to the earliest time that their buckets now allow.
    private mutating func reschedule(rate number: Int, at now: Duration) {
        for (key, consumer) in consumers where consumer.rate == number {
            // After this wait the buckets owe nothing, so this piece is available too.
            guard let order = consumer.order else { continue }
            let due = min(order.due, now + wait(of: consumer, at: now))
            consumers[key]?.order?.due = due
        }
        rates[number]?.blockedUntil = consumers.values.filter { $0.rate == number }.compactMap { $0.order?.due }.max()
    }

    func bytesPerSecond(ofRate number: Int) -> Int64? { rates[number]?.bucket.rate }

    /// The lowest limit that applies to a download from a host.
    func strictest(forRate number: Int, at authority: String) -> Int64? {
        [
            shared.server, shared.rate(ofHost: authority), session(ofRate: number)?.bucket.rate,
            rates[number]?.bucket.rate,
        ].compactMap(\.self).min()
    }

    func blockedUntil(rate number: Int) -> Duration? { rates[number]?.blockedUntil }

    /// Whether a transfer of the download waits now, or waited after `instant`.
    func wasBlocked(rate number: Int, after instant: Duration) -> Bool {
        guard let until = rates[number]?.blockedUntil else { return false }
        // On a busy machine a transfer is resumed late.
        return until > instant || consumers.values.contains { $0.rate == number && $0.order != nil }
    }

    // MARK: - Session limits

    private func session(ofRate number: Int) -> Session? { rates[number]?.session.flatMap { sessions[$0] } }

    private mutating func join(_ session: SessionRate, at now: Duration) {
        if sessions[session.name] == nil {
            let bucket = TokenBucket(rate: session.bytesPerSecond, at: now)
            sessions[session.name] = Session(bucket: bucket, revision: session.revision)
            if session.bytesPerSecond != nil { limitedSessions += 1 }
        } else {
            setRate(of: session, at: now)
        }
        sessions[session.name]?.rates += 1
    }

    private mutating func leave(_ name: SessionName) {
        sessions[name]?.rates -= 1
        guard let session = sessions[name], session.rates == 0 else { return }
        sessions[name] = nil
        if session.bucket.rate != nil { limitedSessions -= 1 }
    }

    /// Without a running download the call has no effect: the next download sets the session's limit.
    mutating func setRate(of session: SessionRate, at now: Duration) {
        guard let old = sessions[session.name], session.revision >= old.revision else { return }
        limitedSessions += (session.bytesPerSecond == nil ? 0 : 1) - (old.bucket.rate == nil ? 0 : 1)
        sessions[session.name]?.revision = session.revision
        sessions[session.name]?.bucket.setRate(session.bytesPerSecond, at: now)
        for (number, rate) in rates where rate.session == session.name { reschedule(rate: number, at: now) }
    }

    func bytesPerSecond(of name: SessionName) -> Int64? { sessions[name]?.bucket.rate }

    // MARK: - Transfers

    mutating func addConsumer(_ consumer: Consumer, at now: Duration = .zero) -> Int {
        lastNumber += 1
        consumers[lastNumber] = consumer
        // A bucket is created even without a limit, because a limit may be set during the transfer.
        let rate = shared.rate(ofHost: consumer.authority)
        hosts[consumer.authority, default: Host(bucket: TokenBucket(rate: rate, at: now))].consumers += 1
        return lastNumber
    }

    mutating func removeConsumer(_ number: Int) {
        guard let consumer = consumers.removeValue(forKey: number) else { return }
        hosts[consumer.authority]?.consumers -= 1
        if hosts[consumer.authority]?.consumers == 0 { hosts[consumer.authority] = nil }
    }

    /// - Returns: nil if the transfer must wait; see ``nextDue``.
    mutating func allowance(for byteCount: Int, at number: Int, now: Duration) -> Int? {
        guard let consumer = consumers[number] else { return byteCount }
        if consumer.order != nil { return nil }
        if consumer.allowed > 0 { return min(consumer.allowed, byteCount) }
        let piece = min(byteCount, pieceSize(for: consumer))
        let wait = consume(Int64(piece), for: consumer, at: now)
        guard wait > .zero else {
            consumers[number]?.allowed = piece
            return piece
        }
        let due = now + max(wait, Self.leastWait)
        consumers[number]?.order = (piece, due)
        let blockedUntil = max(rates[consumer.rate]?.blockedUntil ?? due, due)
        rates[consumer.rate]?.blockedUntil = blockedUntil
        return nil
    }

    mutating func spend(_ byteCount: Int, at number: Int) {
        guard let consumer = consumers[number] else { return }
        consumers[number]?.allowed = max(consumer.allowed - byteCount, 0)
    }

    /// Grants the reserved pieces whose tokens are available.
    ///
    /// - Returns: The functions that resume the waiting transfers, earliest first.
    mutating func deliver(at now: Duration) -> [@Sendable () -> Void] {
        let due = consumers.filter { ($0.value.order?.due ?? .seconds(Int64.max)) <= now }
        for (number, consumer) in due {
            consumers[number]?.allowed += consumer.order?.byteCount ?? 0
            consumers[number]?.order = nil
            // A late timer made the transfer wait until now.
            let until = rates[consumer.rate]?.blockedUntil ?? now
            rates[consumer.rate]?.blockedUntil = max(until, now)
        }
        let order = due.sorted { ($0.value.order?.due ?? now, $0.key) < ($1.value.order?.due ?? now, $1.key) }
        return order.map(\.value.resume)
    }

    // MARK: - Buckets

    private func pieceSize(for consumer: Consumer) -> Int {
        guard let rate = strictest(forRate: consumer.rate, at: consumer.authority) else { return .max }
        return max(Self.leastPiece, Int(Double(rate) * Self.pieceTime.inSeconds))
    }

    /// Takes the bytes from every bucket. The longest wait applies.
    private mutating func consume(_ byteCount: Int64, for consumer: Consumer, at now: Duration) -> Duration {
        var wait = server.consume(byteCount, at: now)
        if let session = rates[consumer.rate]?.session {
            wait = max(wait, sessions[session]?.bucket.consume(byteCount, at: now) ?? .zero)
        }
        wait = max(wait, rates[consumer.rate]?.bucket.consume(byteCount, at: now) ?? .zero)
        return max(wait, hosts[consumer.authority]?.bucket.consume(byteCount, at: now) ?? .zero)
    }

    private func wait(of consumer: Consumer, at now: Duration) -> Duration {
        let buckets = [
            server, session(ofRate: consumer.rate)?.bucket, rates[consumer.rate]?.bucket,
            hosts[consumer.authority]?.bucket,
        ]
        return buckets.compactMap { $0?.wait(at: now) }.max() ?? .zero
    }
}
