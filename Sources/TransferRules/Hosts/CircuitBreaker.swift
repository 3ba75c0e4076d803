import Core

/// A circuit breaker for one host: after repeated failures it stops all downloads from the host and admits one of them
/// as a probe from time to time (M. Nygard, Release It!, 2nd edition, 5.2).
struct CircuitBreaker: Hashable, Sendable {
    private enum Phase: Hashable {
        case closed
        /// Open until the first probe is due; half open afterwards.
        case open(until: Timestamp)
        /// Half open: the probing download, and the time after which another download may probe.
        case probing(DownloadID, until: Timestamp)
    }

    private var phase = Phase.closed
    private var failures = 0
    /// The downloads that failed, at most as many as `downloadsToOpen`.
    private var failed: Set<DownloadID> = []
    private var pause: Duration
    private let rules: HostRules

    init(rules: HostRules) {
        self.rules = rules
        pause = rules.firstPause
    }

    var isPristine: Bool { phase == .closed && failures == 0 }

    /// Why no connection may be opened at `now`, and until when; nil if one may be opened, possibly as a probe.
    func waitReason(at now: Timestamp) -> (until: Timestamp, reason: HostWaitReason)? {
        switch phase {
        case .open(let until) where now < until: (until, .failures)
        case .probing(_, let until) where now < until: (until, .probe)
        case .closed, .open, .probing: nil
        }
    }

    /// Limits the remaining wait to one pause, in case the clock was set back.
    mutating func shorten(at now: Timestamp) {
        switch phase {
        case .closed: return
        case .open(let until): phase = .open(until: min(until, now + pause))
        case .probing(let download, let until): phase = .probing(download, until: min(until, now + pause))
        }
    }

    var isClosed: Bool { phase == .closed }

    /// Makes the download the probe if the breaker is not closed.
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
            // The connection was opened before the breaker opened, so its failure is no new evidence.
            return
        }
    }

    /// The host refused the probe. It responds, but must not receive more requests yet.
    mutating func recordRefusal(of download: DownloadID, at now: Timestamp) {
        guard case .probing(download, _) = phase else { return }
        phase = .open(until: now + pause)
    }
}
