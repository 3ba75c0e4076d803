public import Core

/// How many connections to one host (an authority: name and port) all downloads together may have, and when.
///
/// The number is halved when the host refuses connections, and grows by one while it does not, like a congestion window
/// (RFC 5681, 3.1). A `Retry-After` applies to every download of the host. Failures of several downloads in a row stop
/// all of them except a probe.
public struct HostGovernor: Hashable, Sendable {
    /// The connections that the settings allow.
    public let ceiling: Int
    /// The current limit of connections, as learned.
    public private(set) var cap: Int
    let rules: HostRules
    var breaker: CircuitBreaker
    private var frozenUntil: Timestamp?
    private var lastRefusal: Timestamp?
    /// Since when, and with how many good answers, the cap is what it is.
    private var capSince: Timestamp?
    private var successes = 0
    /// Whether a connection had to wait for the cap since.
    private var isLimiting = false
    private var evidence: RefusalEvidence
    /// The download whose 503 alone narrowed or froze the host, and what held before.
    private var suspicion: Suspicion?

    private struct Suspicion: Hashable {
        let download: DownloadID
        let cap: Int
    }

    /// - Parameter ceiling: At least 1.
    public init(ceiling: Int, rules: HostRules = HostRules()) {
        self.ceiling = max(ceiling, 1)
        self.rules = rules
        cap = self.ceiling
        breaker = CircuitBreaker(rules: rules)
        evidence = RefusalEvidence(memory: rules.evidenceTime)
    }

    /// Whether nothing was learned that a new governor would not assume: it may be forgotten once nothing is open.
    public func isPristine(at now: Timestamp) -> Bool {
        cap == ceiling && breaker.isPristine && frozen(at: now) == nil
    }

    /// Whether the host is known to have answered a download lately. That shows whether a refusal concerns the host or
    /// one URL.
    public func hasEvidence(at now: Timestamp) -> Bool { evidence.isFresh(at: now) }

    /// Decides about one more connection; a granted one must be open at the next call.
    ///
    /// - Parameters:
    ///   - open: The connections to the host that are open.
    ///   - download: Whose connection it would be.
    public mutating func mayOpen(at now: Timestamp, open: Int, for download: DownloadID) -> HostAdmission {
        frozenUntil = frozen(at: now)
        breaker.shorten(at: now)
        if let frozenUntil { return .wait(until: frozenUntil, reason: .retryAfter) }
        if let wait = breaker.waitReason(at: now) { return .wait(until: wait.until, reason: wait.reason) }
        // A probe is granted whatever is open: connections from before the failures may hang.
        guard open >= cap, breaker.isClosed else {
            breaker.admit(download, at: now)
            return .open
        }
        isLimiting = true
        raiseCap(at: now)
        return open < cap ? .open : .wait(until: nil, reason: .connectionLimit)
    }

    /// Records that only the cap keeps a download from more connections.
    public mutating func recordDemand(at now: Timestamp) {
        isLimiting = true
        raiseCap(at: now)
    }

    /// Records a response whose body was accepted.
    ///
    /// - Parameter download: The download of the request; nil if it is unknown.
    public mutating func recordSuccess(at now: Timestamp, of download: DownloadID? = nil) {
        breaker.recordSuccess()
        successes += 1
        if let download {
            evidence.recordResponse(to: download, at: now)
            dropSuspicion(after: download)
        }
        raiseCap(at: now)
    }

    /// Records a 503. It is a refusal by the host, unless the host answers other downloads meanwhile: then it concerns
    /// only this download's URL. If no other was answered yet, the first good response to another one reverts the
    /// effect.
    ///
    /// - Returns: Whether it was the host's.
    @discardableResult
    public mutating func recordUnavailable(
        at now: Timestamp,
        of download: DownloadID,
        open: Int,
        retryAfter: Duration? = nil
    ) -> Bool {
        let isOwn = evidence.isOwn(download, at: now)
        evidence.recordRefusal(of: download, at: now)
        guard !isOwn else {
            breaker.recordRefusal(of: download, at: now)
            return false
        }
        let suspected = suspicion.map { $0.download == download ? $0.cap : nil } ?? (isUnrefused(at: now) ? cap : nil)
        recordRefusal(at: now, of: download, open: open, retryAfter: retryAfter)
        suspicion = suspected.map { Suspicion(download: download, cap: $0) }
        return true
    }

    /// Whether neither the cap nor a freeze limits the host.
    private func isUnrefused(at now: Timestamp) -> Bool { cap == ceiling && frozen(at: now) == nil }

    private mutating func dropSuspicion(after download: DownloadID) {
        guard let suspicion else { return }
        // If the same download is answered later, the refusal was the host's.
        if suspicion.download != download {
            cap = max(cap, suspicion.cap)
            frozenUntil = nil
        }
        self.suspicion = nil
    }

    /// Records a refused connection: 429, or a reset before the first byte of a response.
    ///
    /// - Parameters:
    ///   - open: The open connections to the host, with this one. The host has accepted no more than the others,
    ///     however high the cap is.
    ///   - retryAfter: The time that it named, cut to the rules' bounds.
    public mutating func recordRefusal(
        at now: Timestamp,
        of download: DownloadID,
        open: Int,
        retryAfter: Duration? = nil
    ) {
        let capBefore = cap
        suspicion = nil
        breaker.recordRefusal(of: download, at: now)
        if let retryAfter {
            let until = now + min(max(retryAfter, rules.shortestFreeze), rules.longestFreeze)
            frozenUntil = max(frozenUntil ?? until, until)
        }
        successes = 0
        capSince = now
        isLimiting = false
        cap = max(min(cap, open - 1), 1)
        // A refusal of the future is from before the clock was set back.
        if let lastRefusal, lastRefusal <= now, now - lastRefusal < rules.burst { return }
        lastRefusal = now
        cap = max(min(capBefore / 2, cap), 1)
    }

    /// Records a temporary failure: no connection, no response, 500, 502, 504, a body that broke off.
    public mutating func recordFailure(at now: Timestamp, of download: DownloadID) {
        breaker.recordFailure(of: download, at: now)
    }

    public func snapshot(at now: Timestamp, open: Int) -> HostSnapshot {
        let wait = breaker.waitReason(at: now)
        let frozen = frozen(at: now)
        var state: HostSnapshot.State = breaker.isClosed ? .available : .probing
        if wait?.reason == .failures { state = .blocked }
        if frozen != nil { state = .throttled }
        let isFull = breaker.isClosed && open >= cap
        return HostSnapshot(
            state: state,
            connectionLimit: cap,
            maxConnectionLimit: ceiling,
            openConnections: open,
            heldUntil: frozen ?? (state == .blocked ? wait?.until : nil),
            reason: frozen == nil ? wait?.reason ?? (isFull ? .connectionLimit : nil) : .retryAfter
        )
    }

    /// Until when no connection is opened; never longer than the longest freeze, also if the clock was set back.
    private func frozen(at now: Timestamp) -> Timestamp? {
        guard let frozenUntil, now < frozenUntil else { return nil }
        return min(frozenUntil, now + rules.longestFreeze)
    }

    /// Tries one connection more when the host bore the cap for long enough, and the cap is what limits.
    private mutating func raiseCap(at now: Timestamp) {
        guard isLimiting, cap < ceiling, let capSince else { return }
        let time = now - capSince
        if time < .zero { self.capSince = now }
        let hasResponses = successes >= rules.successesForMore && time >= rules.shortestTimeForMore
        guard hasResponses || time >= rules.timeForMore else { return }
        cap += 1
        self.capSince = now
        successes = 0
        isLimiting = false
    }
}

/// The numbers that a ``HostGovernor`` goes by.
public struct HostRules: Hashable, Sendable {
    /// Refusals within this time of one that lowered the cap belong to the same burst, and do not lower it further.
    public var burst: Duration = .seconds(1)
    /// The good answers after which one more connection is tried, and the least time for it.
    public var successesForMore = 16
    public var shortestTimeForMore: Duration = .seconds(1)
    /// The time without a refusal after which one more is tried, however few the answers are.
    public var timeForMore: Duration = .seconds(30)
    /// How long it counts that the host answered one download and refused another.
    public var evidenceTime: Duration = .seconds(60)
    /// The bounds of a `Retry-After`.
    public var shortestFreeze: Duration = .seconds(1)
    public var longestFreeze = HostWaitReason.longest
    /// The failures in a row that open the breaker, and the downloads that must share them: one may be at fault itself.
    public var failuresToOpen = 5
    public var downloadsToOpen = 2
    /// The time until the first probe; doubles with each that fails.
    public var firstPause: Duration = .seconds(30)
    public var longestPause: Duration = .seconds(300)

    public init() {}
}

/// Whether a connection to a host may be opened.
public enum HostAdmission: Hashable, Sendable {
    case open
    /// - Parameters:
    ///   - until: When to ask again; nil for when a connection to the host closes.
    case wait(until: Timestamp?, reason: HostWaitReason)
}

/// A connection that is not to be opened now: its host waits for something.
public struct HostWait: Error, Hashable, Sendable {
    /// The host, as `host:port`; after a redirect not the source URL's.
    public let authority: String
    /// When to ask again; nil for when a connection to the host closes.
    public let until: Timestamp?
    public let reason: HostWaitReason

    public init(authority: String, until: Timestamp?, reason: HostWaitReason) {
        self.authority = authority
        self.until = until
        self.reason = reason
    }

    private static let shortestDelay = Duration.milliseconds(250)

    /// How long a refused download waits. It gets no signal when a connection closes, so it tries again after five to
    /// fifteen seconds, at random, so that not all try at once.
    ///
    /// - Parameter random: From 0 up to but not including 1.
    public func delay(at now: Timestamp, random: Double) -> Duration {
        guard let until else { return .seconds(5) + .seconds(10) * random.clampedToUnit }
        return max(until - now, Self.shortestDelay)
    }

    /// Whether no download of the host may begin before ``until``.
    public var concernsAll: Bool {
        switch reason {
        case .retryAfter, .failures: true
        case .connectionLimit, .probe: false
        }
    }
}
