public import Core

/// Limits the connections of all downloads together to one host (an authority: name and port).
///
/// The limit is halved when the host refuses connections and doubles after each five seconds in which it answers, like
/// a congestion window in slow start (RFC 5681, 3.1). A `Retry-After` applies to every download of the host.
/// Consecutive failures of several downloads stop all of them except for a probe (``CircuitBreaker``).
public struct HostGovernor: Hashable, Sendable {
    /// The connections that the settings allow.
    public let maxLimit: Int
    /// The current limit of connections.
    public private(set) var limit: Int
    let rules: HostRules
    var breaker: CircuitBreaker
    private var throttledUntil: Timestamp?
    private var lastRefusal: Timestamp?
    /// When the current limit was set. `successes` counts the accepted responses since then.
    private var limitSince: Timestamp?
    private var successes = 0
    /// Whether a connection has had to wait because of the limit since then.
    private var isLimiting = false
    private var evidence: RefusalEvidence
    /// The download whose 503 alone lowered the limit or set a throttle, and the limit before it.
    private var suspicion: Suspicion?
    /// The changes that led to the limit, newest last.
    private var events: [HostEvent] = []

    private static let eventsKept = 10

    private struct Suspicion: Hashable {
        let download: DownloadID
        let limit: Int
    }

    /// - Parameter maxLimit: At least 1; smaller values count as 1.
    public init(maxLimit: Int, rules: HostRules = HostRules()) {
        self.maxLimit = max(maxLimit, 1)
        self.rules = rules
        limit = self.maxLimit
        breaker = CircuitBreaker(rules: rules)
        evidence = RefusalEvidence(memory: rules.evidenceTime)
    }

    /// Whether the governor is in its initial state, so that it can be discarded when no connection is open.
    public func isPristine(at now: Timestamp) -> Bool {
        limit == maxLimit && breaker.isPristine && throttleEnd(at: now) == nil
    }

    /// Whether the host has served or refused a download recently. Only then is it known whether a refusal concerns the
    /// host or a single URL.
    public func hasEvidence(at now: Timestamp) -> Bool { evidence.isFresh(at: now) }

    /// Decides whether one more connection may be opened. A granted connection must count as open at the next call.
    ///
    /// - Parameters:
    ///   - open: The number of open connections to the host.
    ///   - download: The download that needs the connection.
    public mutating func mayOpen(at now: Timestamp, open: Int, for download: DownloadID) -> HostAdmission {
        throttledUntil = throttleEnd(at: now)
        breaker.shorten(at: now)
        if let throttledUntil { return .wait(until: throttledUntil, reason: .retryAfter) }
        if let wait = breaker.waitReason(at: now) { return .wait(until: wait.until, reason: wait.reason) }
        // A probe is admitted even at the limit: connections from before the failures may hang.
        guard open >= limit, breaker.isClosed else {
            breaker.admit(download, at: now)
            return .open
        }
        isLimiting = true
        raiseLimit(at: now)
        return open < limit ? .open : .wait(until: nil, reason: .connectionLimit)
    }

    /// Records that a download needs more connections and that only the limit prevents them.
    public mutating func recordDemand(at now: Timestamp) {
        isLimiting = true
        raiseLimit(at: now)
    }

    /// Records a response whose body was accepted.
    ///
    /// - Parameter download: The download of the request; nil if it is unknown.
    /// - Returns: Whether it ends a delay that one download's 503 set for the whole host.
    @discardableResult
    public mutating func recordSuccess(at now: Timestamp, of download: DownloadID? = nil) -> Bool {
        breaker.recordSuccess()
        successes += 1
        defer { raiseLimit(at: now) }
        guard let download else { return false }
        evidence.recordResponse(to: download, at: now)
        let wasThrottled = throttleEnd(at: now) != nil
        dropSuspicion(after: download)
        return wasThrottled && throttleEnd(at: now) == nil
    }

    /// Records a 503 response. It counts as a refusal by the host, unless the host serves other downloads at the same
    /// time: then it concerns only this download's URL. Without `Retry-After`, it counts as the host's only if another
    /// download was refused recently, or if this download was served recently.
    ///
    /// With `Retry-After`, if no other download was served yet, the first accepted response to another download reverts
    /// the effect.
    ///
    /// - Returns: True if it counts as a refusal by the host.
    @discardableResult
    public mutating func recordUnavailable(
        at now: Timestamp,
        of download: DownloadID,
        open: Int,
        retryAfter: Duration? = nil
    ) -> Bool {
        if retryAfter == nil { recordRefusalAsFailure(at: now, of: download, open: open) }
        let isOwn =
            retryAfter == nil ? !evidence.isOfHost(download, at: now) : evidence.isOwn(download, at: now)
        evidence.recordRefusal(of: download, at: now)
        guard !isOwn else {
            breaker.recordRefusal(of: download, at: now)
            return false
        }
        let suspected =
            suspicion.map { $0.download == download ? $0.limit : nil } ?? (isUnrefused(at: now) ? limit : nil)
        recordRefusal(at: now, of: download, open: open, retryAfter: retryAfter, because: .unavailable)
        suspicion = suspected.map { Suspicion(download: download, limit: $0) }
        return true
    }

    /// Whether neither a lowered limit nor a throttle limits the host.
    private func isUnrefused(at now: Timestamp) -> Bool { limit == maxLimit && throttleEnd(at: now) == nil }

    private mutating func dropSuspicion(after download: DownloadID) {
        guard let suspicion else { return }
        // A later response to the same download confirms that the host had refused it.
        if suspicion.download != download {
            limit = max(limit, suspicion.limit)
            throttledUntil = nil
            if events.last?.cause == .unavailable { events.removeLast() }
        }
        self.suspicion = nil
    }

    /// Records a refused connection: a 429, or a reset before the first byte of a response.
    ///
    /// - Parameters:
    ///   - open: The number of open connections to the host, including this one. The host has accepted only the others,
    ///     whatever the limit is.
    ///   - retryAfter: The origin's `Retry-After`; it is limited to the bounds in ``HostRules``.
    public mutating func recordRefusal(
        at now: Timestamp,
        of download: DownloadID,
        open: Int,
        retryAfter: Duration? = nil,
        because cause: HostEvent.Cause = .refused
    ) {
        let limitBefore = limit
        defer { add(cause, at: now) }
        suspicion = nil
        if retryAfter == nil, cause != .unavailable { recordRefusalAsFailure(at: now, of: download, open: open) }
        breaker.recordRefusal(of: download, at: now)
        if let retryAfter {
            let until = now + min(max(retryAfter, rules.shortestThrottle), rules.longestThrottle)
            throttledUntil = max(throttledUntil ?? until, until)
        }
        successes = 0
        limitSince = now
        isLimiting = false
        limit = max(min(limit, open - 1), 1)
        // A refusal in the future was recorded before the clock was set back.
        if let lastRefusal, lastRefusal <= now, now - lastRefusal < rules.burst { return }
        lastRefusal = now
        limit = max(min(limitBefore / 2, limit), 1)
    }

    /// Records a temporary failure: no connection, no response, a 500, 502 or 504, or an incomplete body.
    public mutating func recordFailure(at now: Timestamp, of download: DownloadID) {
        let wasOpen = breaker.waitReason(at: now)?.reason == .failures
        breaker.recordFailure(of: download, at: now)
        if !wasOpen, breaker.waitReason(at: now)?.reason == .failures { add(.failures, at: now) }
    }

    /// Counts a refusal as a failure if no other connection is open: the host serves nobody then, and would be asked by
    /// each download in turn. Beside others the refusal is only one of a further connection.
    private mutating func recordRefusalAsFailure(at now: Timestamp, of download: DownloadID, open: Int) {
        guard open <= 1 else { return }
        recordFailure(at: now, of: download)
    }

    private mutating func add(_ cause: HostEvent.Cause, at now: Timestamp) {
        events.append(HostEvent(at: now, cause: cause, connectionLimit: limit))
        if events.count > Self.eventsKept { events.removeFirst() }
    }

    public func snapshot(at now: Timestamp, open: Int) -> HostSnapshot {
        let wait = breaker.waitReason(at: now)
        let throttled = throttleEnd(at: now)
        var state: HostSnapshot.State = breaker.isClosed ? .available : .probing
        if wait?.reason == .failures { state = .blocked }
        if throttled != nil { state = .throttled }
        let isFull = breaker.isClosed && open >= limit
        var snapshot = HostSnapshot(
            state: state,
            connectionLimit: limit,
            maxConnectionLimit: maxLimit,
            openConnections: open,
            heldUntil: throttled ?? (state == .blocked ? wait?.until : nil),
            reason: throttled == nil ? wait?.reason ?? (isFull ? .connectionLimit : nil) : .retryAfter
        )
        snapshot.events = events
        return snapshot
    }

    /// The time until which no connection is opened. Limited to the longest throttle, in case the clock was set back.
    private func throttleEnd(at now: Timestamp) -> Timestamp? {
        guard let throttledUntil, now < throttledUntil else { return nil }
        return min(throttledUntil, now + rules.longestThrottle)
    }

    /// Doubles the limit if it limits the host and has been accepted for long enough.
    private mutating func raiseLimit(at now: Timestamp) {
        guard isLimiting, limit < maxLimit, let limitSince else { return }
        let time = now - limitSince
        if time < .zero { self.limitSince = now }
        let hasResponses = successes > 0 && time >= rules.timeToDouble
        guard hasResponses || time >= rules.timeWithoutResponse else { return }
        limit = min(limit * 2, maxLimit)
        add(.success, at: now)
        self.limitSince = now
        successes = 0
        isLimiting = false
    }
}

/// Whether a connection to a host may be opened.
public enum HostAdmission: Hashable, Sendable {
    case open
    /// - Parameters:
    ///   - until: When to try again; nil means when a connection to the host closes.
    case wait(until: Timestamp?, reason: HostWaitReason)
}

/// A connection must wait because of its host.
public struct HostWait: Error, Hashable, Sendable {
    /// The host, as `host:port`. After a redirect it differs from the source URL's host.
    public let authority: String
    /// When to try again; nil means when a connection to the host closes.
    public let until: Timestamp?
    public let reason: HostWaitReason

    public init(authority: String, until: Timestamp?, reason: HostWaitReason) {
        self.authority = authority
        self.until = until
        self.reason = reason
    }

    private static let shortestDelay = Duration.milliseconds(250)

    /// How long a refused download waits. It is not notified when a connection closes, so without ``until`` it tries
    /// again after a random time of 5 to 15 seconds, which spreads the downloads.
    ///
    /// - Parameter random: From 0 up to but not including 1.
    public func delay(at now: Timestamp, random: Double) -> Duration {
        guard let until else { return .seconds(5) + .seconds(10) * random.clampedToUnit }
        return max(until - now, Self.shortestDelay)
    }

    /// Whether no download of the host may start before ``until``.
    public var concernsAll: Bool {
        switch reason {
        case .retryAfter, .failures: true
        case .connectionLimit, .probe: false
        }
    }
}
