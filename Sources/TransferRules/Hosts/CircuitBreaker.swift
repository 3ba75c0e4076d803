import Core

/// Keeps downloads from a host that fails them all, and tries it with one of them now and then
/// (M. Nygard, Release It!, 2nd edition, 5.2).
struct CircuitBreaker: Hashable, Sendable {
    private enum Phase: Hashable {
        case closed
        /// Until the first probe is due; afterwards half open.
        case open(until: Timestamp)
        /// The download that probes, and the time after which another may.
        case probing(DownloadID, until: Timestamp)
    }

    private var phase = Phase.closed
    private var failures = 0
    /// Who failed, no more of them than are asked about.
    private var failed: Set<DownloadID> = []
    private var pause: Duration
    private let rules: HostRules

    init(rules: HostRules) {
        self.rules = rules
        pause = rules.firstPause
    }

    var isPristine: Bool { phase == .closed && failures == 0 }

    /// Why nothing may be opened at `now`, and until when; nil where a connection may, if only as a probe.
    func waitReason(at now: Timestamp) -> (until: Timestamp, reason: HostWaitReason)? {
        switch phase {
        case .open(let until) where now < until: (until, .failures)
        case .probing(_, let until) where now < until: (until, .probe)
        case .closed, .open, .probing: nil
        }
    }

    /// Cuts a hold to the length of a pause if the clock was set back.
    mutating func shorten(at now: Timestamp) {
        switch phase {
        case .closed: return
        case .open(let until): phase = .open(until: min(until, now + pause))
        case .probing(let download, let until): phase = .probing(download, until: min(until, now + pause))
        }
    }

    var isClosed: Bool { phase == .closed }

    /// Makes the download the probe, where one is due.
    mutating func admit(_ download: DownloadID, at now: Timestamp) {
        if !isClosed { phase = .probing(download, until: now + pause) }
    }

    mutating func recordSuccess() {
        phase = .closed
        failures = 0
        failed = []
        pause = rules.firstPause
    }

    mutating func recordFailure(of download: DownloadID, at now: Timestamp) {
        switch phase {
        case .closed:
            failures += 1
            if failed.count < rules.downloadsToOpen { failed.insert(download) }
            guard failures >= rules.failuresToOpen, failed.count >= rules.downloadsToOpen else { return }
            phase = .open(until: now + pause)
        case .probing(download, _):
            pause = min(pause * 2, rules.longestPause)
            phase = .open(until: now + pause)
        case .open, .probing:
            // The connection was opened before the breaker was, so its failure is not new.
            return
        }
    }

    /// The probe was turned away: the host lives, but is not to be asked more yet.
    mutating func recordRefusal(of download: DownloadID, at now: Timestamp) {
        guard case .probing(download, _) = phase else { return }
        phase = .open(until: now + pause)
    }
}
