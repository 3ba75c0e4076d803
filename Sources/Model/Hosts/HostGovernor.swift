/// How many connections to one host (an authority: name and port) all downloads together may have, and when.
///
/// The number falls by half when the host turns connections away and rises one by one while it does not, as
/// congestion windows do (RFC 5681, 3.1). A `Retry-After` holds for every download of the host. Failures of several
/// downloads in a row stop all of them but a probe.
public struct HostGovernor: Hashable, Sendable {
    /// The connections that the settings allow.
    public let ceiling: Int
    /// The connections that the host bears, as far as is known.
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

    /// Asks for a connection; one that is granted counts as opened by the next call.
    ///
    /// - Parameters:
    ///   - open: The connections to the host that are open.
    ///   - download: Whose connection it would be.
    public mutating func mayOpen(at now: Timestamp, open: Int, for download: DownloadID) -> HostAdmission {
        frozenUntil = frozen(at: now)
        breaker.shorten(at: now)
        if let frozenUntil { return .wait(until: frozenUntil, reason: .retryAfter) }
        if let hold = breaker.hold(at: now) { return .wait(until: hold.until, reason: hold.reason) }
        // A probe is granted whatever is open: connections from before the failures may hang.
        guard open >= cap, breaker.isClosed else {
            breaker.admit(download, at: now)
            return .open
        }
        isLimiting = true
        raiseCap(at: now)
        return open < cap ? .open : .wait(until: nil, reason: .cap)
    }

    /// Notes that more would be asked of the host, were it not for the cap.
    public mutating func noteDemand(at now: Timestamp) {
        isLimiting = true
        raiseCap(at: now)
    }

    /// Notes a good answer: one whose body was accepted.
    ///
    /// - Parameter download: Whose request it answers; nil where nobody says.
    public mutating func noteSuccess(at now: Timestamp, of download: DownloadID? = nil) {
        breaker.noteSuccess()
        successes += 1
        if let download {
            evidence.noteAnswer(to: download, at: now)
            dropSuspicion(after: download)
        }
        raiseCap(at: now)
    }

    /// Notes a 503. It speaks of the host, unless it answers others meanwhile: then it speaks of what this download
    /// asks for. Where nobody was answered yet, the first good answer to another takes back what it led to.
    ///
    /// - Returns: Whether it was the host's.
    @discardableResult
    public mutating func noteUnavailable(
        at now: Timestamp,
        of download: DownloadID,
        open: Int,
        retryAfter: Duration? = nil
    ) -> Bool {
        let isOwn = evidence.isOwn(download, at: now)
        evidence.noteRefusal(of: download, at: now)
        guard !isOwn else {
            breaker.noteRefusal(of: download, at: now)
            return false
        }
        let suspected = suspicion.map { $0.download == download ? $0.cap : nil } ?? (isUnrefused(at: now) ? cap : nil)
        noteRefusal(at: now, of: download, open: open, retryAfter: retryAfter)
        suspicion = suspected.map { Suspicion(download: download, cap: $0) }
        return true
    }

    /// Whether nothing that the host said narrows or freezes it.
    private func isUnrefused(at now: Timestamp) -> Bool { cap == ceiling && frozen(at: now) == nil }

    private mutating func dropSuspicion(after download: DownloadID) {
        guard let suspicion else { return }
        // One that is answered itself was refused for the host's sake.
        if suspicion.download != download {
            cap = max(cap, suspicion.cap)
            frozenUntil = nil
        }
        self.suspicion = nil
    }

    /// Notes that the host turned a connection away: 429, or a reset before the first byte of an answer.
    ///
    /// - Parameters:
    ///   - open: The connections to the host that are open, this one among them. More than the others were never
    ///     borne, however high the cap is.
    ///   - retryAfter: The time that it named, cut to the rules' bounds.
    public mutating func noteRefusal(
        at now: Timestamp,
        of download: DownloadID,
        open: Int,
        retryAfter: Duration? = nil
    ) {
        let capBefore = cap
        suspicion = nil
        breaker.noteRefusal(of: download, at: now)
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

    /// Notes a failure that another try may mend: no connection, no answer, 500, 502, 504, a body that broke off.
    public mutating func noteFailure(at now: Timestamp, of download: DownloadID) {
        breaker.noteFailure(of: download, at: now)
    }

    public func snapshot(at now: Timestamp, open: Int) -> HostSnapshot {
        let hold = breaker.hold(at: now)
        let frozen = frozen(at: now)
        var state: HostSnapshot.State = breaker.isClosed ? .closed : .halfOpen
        if hold?.reason == .failures { state = .open }
        if frozen != nil { state = .frozen }
        let isFull = breaker.isClosed && open >= cap
        return HostSnapshot(
            state: state,
            cap: cap,
            ceiling: ceiling,
            openConnections: open,
            heldUntil: frozen ?? (state == .open ? hold?.until : nil),
            reason: frozen == nil ? hold?.reason ?? (isFull ? .cap : nil) : .retryAfter
        )
    }

    /// Until when the host is to be left alone; never longer than the longest freeze, also when the clock was set back.
    private func frozen(at now: Timestamp) -> Timestamp? {
        guard let frozenUntil, now < frozenUntil else { return nil }
        return min(frozenUntil, now + rules.longestFreeze)
    }

    /// Tries one connection more when the host bore the cap for long enough, and the cap is what limits.
    private mutating func raiseCap(at now: Timestamp) {
        guard isLimiting, cap < ceiling, let capSince else { return }
        let time = now - capSince
        if time < .zero { self.capSince = now }
        let hasAnswers = successes >= rules.successesForMore && time >= rules.shortestTimeForMore
        guard hasAnswers || time >= rules.timeForMore else { return }
        cap += 1
        self.capSince = now
        successes = 0
        isLimiting = false
    }
}
