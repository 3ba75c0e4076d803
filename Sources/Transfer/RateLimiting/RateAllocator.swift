import Core
import TransferRules

/// The buckets of all limits, and who waits for them: the values behind a ``RateLimiter``.
///
/// A transfer that finds a bucket empty orders a small piece, which the bucket owes from then on, and is resumed when
/// the piece is paid. So transfers that share a bucket are served in turn, and none wakes up in vain.
struct RateAllocator {
    struct Consumer {
        let rate: Int
        let authority: String
        let resume: @Sendable () -> Void
        /// Bytes that are paid and not consumed yet.
        var allowed = 0
        /// What is ordered, and when it is paid for.
        var order: (byteCount: Int, due: Duration)?
    }

    private struct Rate {
        var bucket: TokenBucket
        var revision: Int64
        let session: SessionName?
        /// Until when one of its transfers waits.
        var blockedUntil: Duration?
    }

    private struct Session {
        var bucket: TokenBucket
        var revision: Int64
        /// How many rates are of it; it is forgotten with the last.
        var rates = 0
    }

    private struct Host {
        var bucket: TokenBucket
        var consumers = 0
    }

    private var server: TokenBucket
    private(set) var shared: SharedRates
    /// Which setting of `shared` it is.
    private var sharedNumber = 0
    private var hosts: [String: Host] = [:]
    private var rates: [Int: Rate] = [:]
    private var limitedRates = 0
    private var sessions: [SessionName: Session] = [:]
    private var limitedSessions = 0
    private var consumers: [Int: Consumer] = [:]
    private var lastNumber = 0

    /// What is paid for at once lasts this long, so that those who share a limit take turns often.
    private static let pieceTime = Duration.milliseconds(20)
    private static let leastPiece = 1 << 10
    /// No timer is worth a shorter wait. What comes too late by it is credit for the next piece.
    private static let leastWait = Duration.milliseconds(5)

    init(_ shared: SharedRates = SharedRates(), at now: Duration) {
        server = TokenBucket(rate: shared.server, at: now)
        self.shared = shared
    }

    /// Whether there is any limit.
    var isLimiting: Bool {
        shared.server != nil || shared.perHost != nil || !shared.hosts.isEmpty || limitedRates + limitedSessions > 0
    }

    /// When to resume the first waiting transfer.
    var nextDue: Duration? { consumers.values.compactMap { $0.order?.due }.min() }

    /// Whether there are transfers, and all of them wait.
    var areAllWaiting: Bool { !consumers.isEmpty && consumers.values.allSatisfy { $0.order != nil } }

    // MARK: - The limits that downloads share

    /// - Parameter number: Grows with each change; a call with an older number is ignored.
    mutating func setShared(_ rates: SharedRates, number: Int, at now: Duration) {
        guard number > sharedNumber else { return }
        sharedNumber = number
        shared = rates
        server.setRate(rates.server, at: now)
        for authority in hosts.keys { hosts[authority]?.bucket.setRate(rates.rate(ofHost: authority), at: now) }
        for number in self.rates.keys { reschedule(rate: number, at: now) }
    }

    // MARK: - The limits of downloads

    /// - Parameter session: The limit on the session that the download belongs to, as far as the caller knows.
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
            // All that its buckets owe is paid for by then, this piece among it.
            guard let order = consumer.order else { continue }
            let due = min(order.due, now + wait(of: consumer, at: now))
            consumers[key]?.order?.due = due
        }
        rates[number]?.blockedUntil = consumers.values.filter { $0.rate == number }.compactMap { $0.order?.due }.max()
    }

    func bytesPerSecond(ofRate number: Int) -> Int64? { rates[number]?.bucket.rate }

    /// The lowest of the limits on what a download takes from a host.
    func strictest(forRate number: Int, at authority: String) -> Int64? {
        [
            shared.server, shared.rate(ofHost: authority), session(ofRate: number)?.bucket.rate,
            rates[number]?.bucket.rate,
        ].compactMap(\.self).min()
    }

    func blockedUntil(rate number: Int) -> Duration? { rates[number]?.blockedUntil }

    // MARK: - The limits of sessions

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

    /// Without a running download it does nothing: the next one sets the session's limit.
    mutating func setRate(of session: SessionRate, at now: Duration) {
        guard let old = sessions[session.name], session.revision >= old.revision else { return }
        limitedSessions += (session.bytesPerSecond == nil ? 0 : 1) - (old.bucket.rate == nil ? 0 : 1)
        sessions[session.name]?.revision = session.revision
        sessions[session.name]?.bucket.setRate(session.bytesPerSecond, at: now)
        for (number, rate) in rates where rate.session == session.name { reschedule(rate: number, at: now) }
    }

    func bytesPerSecond(of name: SessionName) -> Int64? { sessions[name]?.bucket.rate }

    // MARK: - Gates

    mutating func addConsumer(_ consumer: Consumer, at now: Duration = .zero) -> Int {
        lastNumber += 1
        consumers[lastNumber] = consumer
        // The bucket is there without a limit too: one may come while the host is asked.
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

    /// Delivers the orders that are paid for.
    ///
    /// - Returns: The functions that resume the waiting transfers, the longest waiter first.
    mutating func deliver(at now: Duration) -> [@Sendable () -> Void] {
        let due = consumers.filter { ($0.value.order?.due ?? .seconds(Int64.max)) <= now }
        for (number, consumer) in due {
            consumers[number]?.allowed += consumer.order?.byteCount ?? 0
            consumers[number]?.order = nil
        }
        let order = due.sorted { ($0.value.order?.due ?? now, $0.key) < ($1.value.order?.due ?? now, $1.key) }
        return order.map(\.value.resume)
    }

    // MARK: - Buckets

    private func pieceSize(for consumer: Consumer) -> Int {
        guard let rate = strictest(forRate: consumer.rate, at: consumer.authority) else { return .max }
        return max(Self.leastPiece, Int(Double(rate) * Self.pieceTime.inSeconds))
    }

    /// Every bucket gives the piece; the longest wait counts.
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
