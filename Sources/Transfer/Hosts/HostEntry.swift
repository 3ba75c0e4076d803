import Core
import TransferRules

/// What is known of one host, and who is connected to it.
struct HostEntry {
    var governor: HostGovernor
    var versions = HTTPVersionMemory()
    var ifRange = IfRangeMemory()
    var connectionLimit = HostConnectionLimit()
    var shares = HostShares()
    var heardAt: Timestamp
    /// Whether downloads were left in the queue and no opening was announced since.
    private var isOpeningDue = false

    init(governor: HostGovernor, heardAt: Timestamp) {
        self.governor = governor
        self.heardAt = heardAt
    }

    /// Whether fewer downloads may begin than the settings allow.
    var isLimiting: Bool { governor.cap < governor.ceiling || shares.open > 0 || shares.isAwaited }

    /// How many further downloads of the host are worth running.
    func claimRoom(at now: Timestamp) -> Int { max(governor.cap - shares.open - shares.starting(at: now), 0) }

    /// Whether it has no connection, and nothing is known that differs from a new host.
    func isPristine(at now: Timestamp) -> Bool {
        shares.open == 0 && governor.isPristine(at: now) && versions.isPristine(at: now) && ifRange.isPristine(at: now)
            && connectionLimit.most(at: now) == nil
    }

    /// The same, and without evidence about refusals.
    func isForgettable(at now: Timestamp) -> Bool { isPristine(at: now) && !governor.hasEvidence(at: now) }

    func snapshot(at now: Timestamp) -> HostSnapshot {
        var snapshot = governor.snapshot(at: now, open: shares.open)
        snapshot.connectionsPerDownload = connectionLimit.most(at: now)
        return snapshot
    }

    /// - Returns: The result of `body`, and whether to announce room for downloads in the queue.
    mutating func change<Value>(
        at now: Timestamp,
        _ body: (inout HostEntry, Timestamp) -> Value
    ) -> (Value, hasOpened: Bool) {
        heardAt = now
        let value = body(&self, now)
        return (value, removeOpening(at: now))
    }

    // MARK: - Connections

    /// The connections that a download may have. A download that is redirected to other hosts is limited there.
    func connectionLimit(for download: DownloadID, at now: Timestamp) -> Int {
        let hasAny = shares.connections(of: download) > 0
        let share = hasAny ? shares.share(of: download, cap: governor.cap, at: now) : governor.cap
        return min(share, connectionLimit.most(at: now) ?? .max)
    }

    /// How many connections a download has above its share while others wait. A lowered cap closes none: connections
    /// that end are just not replaced.
    func surplus(of download: DownloadID, at now: Timestamp) -> Int {
        let own = shares.connections(of: download)
        guard own > 1, shares.downloads < governor.cap, shares.isContended(besides: download, at: now) else { return 0 }
        return max(own - shares.share(of: download, cap: governor.cap, at: now), 0)
    }

    mutating func admit(_ download: DownloadID, at now: Timestamp) -> HostAdmission {
        let admission = governor.mayOpen(at: now, open: shares.open, for: download)
        switch admission {
        case .open: shares.recordOpened(by: download)
        case .wait(_, .connectionLimit) where shares.connections(of: download) == 0:
            shares.recordTurnedAway(download, at: now)
        case .wait: break
        }
        return admission
    }

    /// How many of `requested` further connections a download may open.
    mutating func room(for requested: Int, of download: DownloadID, at now: Timestamp) -> Int {
        guard governor.snapshot(at: now, open: shares.open).state == .available else { return 0 }
        // Asks for the last of them, so that the governor learns whether its cap is the limit.
        _ = governor.mayOpen(at: now, open: shares.open + requested - 1, for: download)
        let share = shares.share(of: download, cap: governor.cap, at: now) - shares.connections(of: download)
        return max(min(requested, governor.cap - shares.open, share), 0)
    }

    /// Records that a download wants more connections, if its share allows them.
    mutating func recordDemand(of download: DownloadID, for count: Int, at now: Timestamp) {
        guard shares.connections(of: download) < connectionLimit(for: download, at: now) else { return }
        shares.recordDemand(of: download, for: count, at: now)
    }

    // MARK: - Claims

    /// Records whether a claim left downloads in the queue for lack of room.
    mutating func recordLeft(_ isLeft: Bool, at now: Timestamp) {
        if isLeft { governor.recordDemand(at: now) }
        shares.isAwaited = isLeft
        isOpeningDue = isLeft
    }

    /// Whether there is room for downloads left in the queue; true once for each claim that left any.
    private mutating func removeOpening(at now: Timestamp) -> Bool {
        guard isOpeningDue, claimRoom(at: now) > 0 else { return false }
        isOpeningDue = false
        return true
    }
}
