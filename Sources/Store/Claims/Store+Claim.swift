public import Core

extension Store {
    /// Claims the next queued downloads, as many as there are free slots on the server and for their hosts.
    ///
    /// The highest priority comes first. Within one priority sessions take turns: next is the oldest download of the
    /// session with the fewest running ones. Downloads without a session count as one session. A session's limit on
    /// running downloads is respected. The claim is one transaction of the only writer, so two workers never get the
    /// same download.
    ///
    /// A download of known size counts with its whole size towards the session's byte limit from its claim on. If it
    /// exceeds the limit, it fails. Earlier downloads of the same claim keep their share.
    ///
    /// - Parameter slots: Evaluated inside the transaction, so that slots freed during the wait are used.
    public func claim(
        _ slots: @autoclosure @escaping @Sendable () -> Slots,
        node: String,
        now: Timestamp
    ) async throws -> ClaimedDownloads {
        try await unreadable.skipping { [claimCursors] readable in
            try await writer.write { transaction in
                try transaction.claim(slots(), readable, claimCursors, node: node, now: now)
            }
        }
    }
}

extension Transaction {
    func claimed(_ download: Download, by node: String, now: Timestamp) throws -> ClaimedDownload {
        let session = try download.request.session.flatMap(account)?.session
        var context = ClaimedDownload.Context()
        context.hostRefusesRanges = try hostRefusesRanges(download.request.url.authority, now: now)
        context.sessionRate = session?.rate
        context.hasQuota = session?.settings.maxBytes != nil
        context.lastRequest = try lastRequest(of: download)
        return ClaimedDownload(
            claim: Claim(id: download.id, node: node, epoch: download.epoch),
            download: download,
            segments: try database.segments(of: download),
            blocks: try blocks(of: download),
            context
        )
    }

    fileprivate func claim(
        _ slots: Slots,
        _ readable: RowFilter,
        _ cursors: ClaimCursors,
        node: String,
        now: Timestamp
    ) throws -> ClaimedDownloads {
        guard slots.free > 0 else { return .nothing }
        let queue = Queue(database: database, readable: readable)
        // A cheap check: most claims of a busy server find an empty queue.
        guard let first = try queue.first(below: nil) else { return .nothing }
        let runningCounts = try RunningCounts(slots, in: database, readable, now: now)
        var selection = ClaimSelection(queue: queue, cursors: cursors, runningCounts: runningCounts)
        let begun = try downloads(of: selection.choose(slots.free, from: first)).compactMap {
            try begin($0, node, now)
        }
        let claimed = try begun.map { download in
            try record(.downloadStarted, download, from: .queued, at: now)
            return try self.claimed(download, by: node, now: now)
        }
        return ClaimedDownloads(downloads: claimed, left: selection.runningCounts.left)
    }

    /// - Returns: nil if the download exceeds its session's byte limit.
    private func begin(_ old: Download, _ node: String, _ now: Timestamp) throws -> Download? {
        var new = old
        new.begin(by: node, at: now)
        guard try hasRoom(for: old, storing: new.heldBytes) else {
            try refuse(old, now: now)
            return nil
        }
        try update(old, to: new)
        return new
    }

    /// Fails a download that exceeds its session's byte limit.
    private func refuse(_ old: Download, now: Timestamp) throws {
        guard let failed = old.exceedingQuota(at: now) else { return }
        _ = try write(failed, over: old, at: now)
        // Its slot is free for another download.
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
        try database.exists(
            """
            SELECT 1 FROM host
            WHERE authority = ? AND refuses_ranges_until_at > ? AND refuses_ranges_until_at <= ?
            """,
            [authority, now, now + HostWaitReason.rangeRefusal]
        )
    }
}

/// The result of one claim.
public struct ClaimedDownloads: Sendable {
    /// The claimed downloads, in the order of their selection.
    public let downloads: [ClaimedDownload]
    /// The hosts whose downloads were skipped because ``Slots/hostRooms`` was used up.
    public let left: Set<String>

    static let nothing = ClaimedDownloads(downloads: [], left: [])
}
