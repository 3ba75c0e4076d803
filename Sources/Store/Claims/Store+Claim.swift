public import Core
import GRDB

extension Store {
    /// Claims the queued downloads that are next, as many as there are slots: the server's and their host's.
    ///
    /// The highest priority comes first. Within one priority sessions take turns: next is the oldest download of the
    /// session with the fewest running ones. Downloads without a session count as one session. No more downloads of a
    /// session run than its limit allows. It is one transaction of the only writer, so no two workers ever have the
    /// same download.
    ///
    /// One of a known size counts as a whole from then on. Where its session has no room for that it fails, and those
    /// that were claimed before it keep theirs.
    ///
    /// - Parameter slots: Asked for when the claim's turn comes: what became free while it waited is used too.
    public func claim(
        _ slots: @autoclosure @escaping @Sendable () -> Slots,
        owner: String,
        now: Timestamp
    ) async throws -> DownloadClaim {
        try await unreadable.skipping { [claimCursors] readable in
            try await writer.write { transaction in
                try transaction.claim(slots(), readable, claimCursors, owner: owner, now: now)
            }
        }
    }
}

extension Transaction {
    func claimed(_ download: Download, by owner: String, now: Timestamp) throws -> ClaimedDownload {
        let session = try download.request.session.flatMap(sessionLimits)
        return ClaimedDownload(
            claim: Claim(id: download.id, owner: owner, epoch: download.epoch),
            download: download,
            segments: try segments(of: download),
            blocks: try blocks(of: download),
            hostRefusesRanges: try hostRefusesRanges(download.request.url.authority, now: now),
            sessionRate: session?.rate,
            hasQuota: session?.hasQuota ?? false,
            lastRequest: try lastRequest(of: download)
        )
    }

    fileprivate func claim(
        _ slots: Slots,
        _ readable: RowFilter,
        _ cursors: ClaimCursors,
        owner: String,
        now: Timestamp
    ) throws -> DownloadClaim {
        guard slots.free > 0 else { return .nothing }
        let queue = Queue(database: database, readable: readable)
        // A look that costs little: most claims of a busy server find an empty queue.
        guard let first = try queue.first(below: nil) else { return .nothing }
        let runningCounts = try RunningCounts(slots, in: database, readable, now: now)
        var selection = ClaimSelection(queue: queue, cursors: cursors, runningCounts: runningCounts)
        let begun = try downloads(of: selection.choose(slots.free, from: first)).compactMap {
            try begin($0, owner, now)
        }
        let claimed = try begun.map { download in
            try record(.downloadStarted, download, from: .queued, at: now)
            return try self.claimed(download, by: owner, now: now)
        }
        return DownloadClaim(downloads: claimed, left: selection.runningCounts.left)
    }

    /// - Returns: nil where its session has no room for it.
    private func begin(_ old: Download, _ owner: String, _ now: Timestamp) throws -> Download? {
        var new = old
        new.begin(by: owner, now: now)
        guard try database.hasRoom(for: old, storing: new.heldBytes) else {
            try refuse(old, now: now)
            return nil
        }
        try update(old, to: new)
        return new
    }

    /// Ends the run of a download that has no room to begin.
    private func refuse(_ old: Download, now: Timestamp) throws {
        var new = old
        var machine = old.machine
        guard machine.handle(.claimed), machine.handle(.failed) else { return }
        new.adopt(machine)
        new.error = DownloadFailure(error: .quotaExceeded, isRetried: false, attempt: old.attempts.count, at: now)
        _ = try transition(old, to: new, event: .downloadFailed, at: now)
        // The slot that was meant for it is the next one's.
        notices.insert(.downloads)
    }

    private func downloads(of entries: [QueueEntry]) throws -> [Download] {
        var downloads: [Download] = []
        var unreadable: [UnreadableDownload] = []
        for entry in entries {
            guard let id = DownloadID(entry.id) else {
                unreadable.append(UnreadableDownload(id: entry.id, reason: "id '\(entry.id)'"))
                continue
            }
            do {
                if let download = try download(id) { downloads.append(download) }
            } catch StoreError.unreadableDownloads(let rows) {
                unreadable += rows
            }
        }
        guard unreadable.isEmpty else { throw StoreError.unreadableDownloads(unreadable) }
        return downloads
    }

    private func hostRefusesRanges(_ authority: String, now: Timestamp) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT 1 FROM host WHERE authority = ? AND refuses_ranges_until > ? AND refuses_ranges_until <= ?"
        )
        let latest = now + HostWaitReason.rangeRefusal
        return try Int.fetchOne(statement, arguments: [authority, now.milliseconds, latest.milliseconds]) != nil
    }

    private func sessionLimits(_ name: SessionName) throws -> (rate: SessionRate, hasQuota: Bool)? {
        let statement = try database.cachedStatement(
            sql: "SELECT rate_bytes_per_second, revision, max_bytes IS NOT NULL FROM session WHERE name = ?"
        )
        return try Row.fetchOne(statement, arguments: [name.text]).map { row in
            (SessionRate(name: name, bytesPerSecond: row[0], revision: row[1]), row[2])
        }
    }
}

extension Download {
    /// Begins an attempt at a queued download.
    fileprivate mutating func begin(by owner: String, now: Timestamp) {
        var machine = machine
        guard machine.handle(.claimed) else { return }
        adopt(machine)
        epoch += 1
        self.owner = owner
        revision += 1
        attempts.count += 1
        progress.resumedFromBytes = progress.durableBytes
        times.startedAt = times.startedAt ?? now
        times.updatedAt = now
        times.nextAttemptAt = nil
    }
}

/// The result of one claim.
public struct DownloadClaim: Sendable {
    /// Those that run from now on, in the order in which they were chosen.
    public let downloads: [ClaimedDownload]
    /// The hosts for which others were passed by, as ``Slots/hostRooms`` has no more room.
    public let left: Set<String>

    static let nothing = DownloadClaim(downloads: [], left: [])
}

/// How many downloads may run.
public struct Slots: Hashable, Sendable {
    /// Free ones on the server.
    public var free: Int
    /// The most that one host (`host:port`) is asked for at once.
    public var perHost: Int
    /// Whether a host may also have no more than seven times as many slots as stay free, and one.
    ///
    /// One host alone gets seven eighths of the slots then, and the next one finds free slots: the dynamic threshold
    /// of Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet switches" (1998).
    public var isSharedByFree: Bool
    /// How many more downloads of a host may begin, for hosts with a known limit; 0 for none.
    public var hostRooms: [String: Int]

    public init(free: Int, perHost: Int, isSharedByFree: Bool = false, hostRooms: [String: Int] = [:]) {
        self.free = free
        self.perHost = perHost
        self.isSharedByFree = isSharedByFree
        self.hostRooms = hostRooms
    }
}
