import Model

/// What is known of one host, and who is connected to it.
struct HostEntry {
    var governor: HostGovernor
    var versions = HTTPVersionMemory()
    var width = HostWidth()
    var shares = HostShares()
    var heardAt: Timestamp
    /// The ``claimLimit`` at which downloads were left in the queue; nil where none was.
    private var leftAt: Int? {
        didSet { shares.isAwaited = leftAt != nil }
    }

    /// How long a connection is kept for what was left in the queue, once it is free.
    private static let keepForQueue = Duration.seconds(5)
    /// The same for what was turned away: it looks again after 15 seconds at the latest.
    private static let keepForTurnedAway = Duration.seconds(20)

    init(governor: HostGovernor, heardAt: Timestamp) {
        self.governor = governor
        self.heardAt = heardAt
    }

    /// Whether downloads were left in the queue for want of connections.
    var isAwaited: Bool { leftAt != nil }

    /// Whether fewer connections may be opened than the settings allow.
    var isLimiting: Bool { governor.cap < governor.ceiling || shares.open >= governor.cap || isAwaited }

    /// How many downloads of the host are worth running: those at work, and one for each connection that is free.
    var claimLimit: Int {
        let free = governor.cap - shares.open
        return free > 0 ? shares.holders + free : 0
    }

    func isPristine(at now: Timestamp) -> Bool {
        governor.isPristine(at: now) && versions.isPristine(at: now) && width.most(at: now) == nil
    }

    func snapshot(at now: Timestamp) -> HostSnapshot {
        var snapshot = governor.snapshot(at: now, open: shares.open)
        snapshot.connectionsPerDownload = width.most(at: now)
        return snapshot
    }

    /// The connections that a download may have.
    func width(for download: DownloadID, at now: Timestamp) -> Int {
        min(shares.share(of: download, cap: governor.cap, at: now), width.most(at: now) ?? .max)
    }

    /// The connections of a download that are more than its share, where others wait for them. What a host is held to
    /// bear is no reason to cut one off: those that end are not replaced.
    func surplus(of download: DownloadID, at now: Timestamp) -> Int {
        guard shares.isContended(besides: download, at: now) else { return 0 }
        return max(shares.connections(of: download) - shares.share(of: download, cap: governor.cap, at: now), 0)
    }

    mutating func admit(_ download: DownloadID, at now: Timestamp) -> HostAdmission {
        let isNew = shares.connections(of: download) == 0
        let admission = governor.mayOpen(at: now, open: shares.open, for: download)
        switch admission {
        case .open: shares.noteOpened(by: download)
        case .wait(_, .cap) where isNew: shares.keepOne(for: Self.keepForTurnedAway, at: now)
        case .wait: break
        }
        return admission
    }

    /// How many of `wanted` further connections a download may open.
    mutating func room(for wanted: Int, of download: DownloadID, at now: Timestamp) -> Int {
        guard governor.snapshot(at: now, open: shares.open).state == .closed else { return 0 }
        // Asked for the last of them: that tells the governor whether its cap is what limits.
        _ = governor.mayOpen(at: now, open: shares.open + wanted - 1, for: download)
        let share = shares.share(of: download, cap: governor.cap, at: now) - shares.connections(of: download)
        let room = max(min(wanted, governor.cap - shares.open, share), 0)
        if room < wanted { shares.noteDemand(of: download, at: now) }
        return room
    }

    /// Notes that a claim left downloads in the queue, as no more than `limit` were worth running.
    mutating func noteLeft(at limit: Int, now: Timestamp) {
        governor.noteDemand(at: now)
        leftAt = limit
    }

    mutating func noteNothingLeft() { leftAt = nil }

    /// Whether more of what was left in the queue may run than when it was left; that is said once.
    mutating func takeOpening(at now: Timestamp) -> Bool {
        guard let leftAt, claimLimit > leftAt else { return false }
        self.leftAt = nil
        shares.keepOne(for: Self.keepForQueue, at: now)
        return true
    }
}
