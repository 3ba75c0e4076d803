import Core
import TransferRules

/// The learned state of one host, and the connections of downloads to it.
struct HostEntry {
    var governor: HostGovernor
    var versions = HTTPVersionMemory()
    var ifRange = IfRangeMemory()
    var connectionLimit = HostConnectionLimit()
    var proven = ProvenConnectionsCache()
    var shares = HostShares()
    var heardAt: Timestamp
    /// Whether downloads wait in the queue for this host and no room has been announced since.
    private var isOpeningDue = false

    init(governor: HostGovernor, heardAt: Timestamp) {
        self.governor = governor
        self.heardAt = heardAt
    }

    /// Whether fewer downloads may start than the settings allow.
    var isLimiting: Bool { governor.limit < governor.maxLimit || shares.open > 0 || shares.isAwaited }

    /// The number of further downloads of this host that may start now.
    func claimRoom(at now: Timestamp) -> Int { max(governor.limit - shares.open - shares.starting(at: now), 0) }

    /// Whether the host has no connection and its learned state equals that of a new host.
    func isPristine(at now: Timestamp) -> Bool {
        shares.open == 0 && governor.isPristine(at: now) && versions.isPristine(at: now) && ifRange.isPristine(at: now)
            && connectionLimit.most(at: now) == nil
    }

    /// Whether ``isPristine(at:)`` is true and nothing helps later downloads.
    func isForgettable(at now: Timestamp) -> Bool {
        isPristine(at: now) && !governor.hasEvidence(at: now) && proven.last(at: now) == nil
    }

    func snapshot(at now: Timestamp) -> HostSnapshot {
        var snapshot = governor.snapshot(at: now, open: shares.open)
        snapshot.connectionsPerDownload = connectionLimit.most(at: now)
        return snapshot
    }

    /// - Returns: The result of `body`, and whether to announce room for queued downloads.
    mutating func change<Value>(
        at now: Timestamp,
        _ body: (inout HostEntry, Timestamp) -> Value
    ) -> (Value, hasOpened: Bool) {
        heardAt = now
        let value = body(&self, now)
        return (value, removeOpening(at: now))
    }

    // MARK: - Connections

    /// The maximum number of connections that a download may have to this host. After a redirect the limit of the other
    /// host applies.
    ///
    /// - Parameter enough: The number of connections that the download can use. A limit above it need not be exact.
    func connectionLimit(for download: DownloadID, enough: Int = .max, at now: Timestamp) -> Int {
        let hasAny = shares.connections(of: download) > 0
        let share = hasAny ? shares.share(of: download, limit: governor.limit, enough: enough, at: now) : governor.limit
        return min(share, connectionLimit.most(at: now) ?? .max)
    }

    /// The number of connections that a download has above its share while other downloads wait. A lowered limit closes
    /// no connection: connections that end are not replaced.
    func surplus(of download: DownloadID, at now: Timestamp) -> Int {
        let own = shares.connections(of: download)
        guard own > 1, shares.downloads < governor.limit, shares.isContended(besides: download, at: now) else {
            return 0
        }
        return max(own - shares.share(of: download, limit: governor.limit, enough: own, at: now), 0)
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
        // Checking the last of them shows the governor whether its limit keeps connections from opening.
        _ = governor.mayOpen(at: now, open: shares.open + requested - 1, for: download)
        let own = shares.connections(of: download)
        let share = shares.share(of: download, limit: governor.limit, enough: own + requested, at: now) - own
        return max(min(requested, governor.limit - shares.open, share), 0)
    }

    /// Records that a download needs more connections, if its limit allows them.
    mutating func recordDemand(of download: DownloadID, for count: Int, at now: Timestamp) {
        guard shares.connections(of: download) < connectionLimit(for: download, at: now) else { return }
        shares.recordDemand(of: download, for: count, at: now)
    }

    // MARK: - Claims

    /// Records whether a claim left downloads in the queue because the host had no room.
    mutating func recordLeft(_ isLeft: Bool, at now: Timestamp) {
        if isLeft { governor.recordDemand(at: now) }
        shares.isAwaited = isLeft
        isOpeningDue = isLeft
    }

    /// Whether queued downloads now have room. It is true once after each claim that left downloads in the queue.
    private mutating func removeOpening(at now: Timestamp) -> Bool {
        guard isOpeningDue, claimRoom(at: now) > 0 else { return false }
        isOpeningDue = false
        return true
    }
}
