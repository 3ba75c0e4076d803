import GRDB
public import Model

extension Store {
    /// Claims the queued downloads that are next, as many as there are slots: the server's and their host's.
    ///
    /// The highest priority comes first. Within one, the sessions take turns: the next is of the session of which the
    /// fewest run, and its oldest. What belongs to no session counts as one. No more of a session run than its limit
    /// says. All of it is one transaction of the only writer, so no two workers ever hold the same download.
    ///
    /// - Parameter slots: Asked for when the claim's turn comes: what became free while it waited is used too.
    public func claim(
        _ slots: @autoclosure @escaping @Sendable () -> Slots,
        owner: String,
        now: Timestamp
    ) async throws -> [ClaimedDownload] {
        try await unreadable.skipping { [turns] readable in
            try await writer.write { transaction in
                let claimed = try transaction.claim(slots(), readable, turns, owner: owner, now: now)
                return try claimed.map { download in
                    try transaction.record(.downloadStarted, download, from: .queued, at: now)
                    return try transaction.claimed(download, by: owner, now: now)
                }
            }
        }
    }
}

extension Transaction {
    func claimed(_ download: Download, by owner: String, now: Timestamp) throws -> ClaimedDownload {
        ClaimedDownload(
            claim: Claim(id: download.id, owner: owner, epoch: download.epoch),
            download: download,
            segments: try segments(of: download),
            blocks: try blocks(of: download),
            hostRefusesRanges: try hostRefusesRanges(download.request.url.authority, now: now),
            sessionRate: try download.request.session.flatMap(sessionRate),
            lastRequest: try lastRequest(of: download)
        )
    }

    fileprivate func claim(
        _ slots: Slots,
        _ readable: RowFilter,
        _ turns: ClaimTurns,
        owner: String,
        now: Timestamp
    ) throws -> [Download] {
        guard slots.free > 0 else { return [] }
        let queue = Queue(database: database, readable: readable)
        // A look that costs little: most claims of a busy server find an empty queue.
        guard let first = try queue.first(below: nil) else { return [] }
        let tally = try ClaimTally(slots, in: database, readable, now: now)
        var walk = ClaimWalk(queue: queue, turns: turns, tally: tally)
        return try walk.choose(slots.free, from: first).flatMap { entry in
            try database.downloads(Self.claimStatement, ["row": entry.row, "owner": owner, "now": now.milliseconds])
        }
    }

    private func hostRefusesRanges(_ authority: String, now: Timestamp) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT 1 FROM host WHERE authority = ? AND refuses_ranges_until > ?"
        )
        return try Int.fetchOne(statement, arguments: [authority, now.milliseconds]) != nil
    }

    private func sessionRate(_ name: SessionName) throws -> SessionRate? {
        let statement = try database.cachedStatement(
            sql: "SELECT rate_bytes_per_second, revision FROM session WHERE name = ?"
        )
        return try Row.fetchOne(statement, arguments: [name.text]).map { row in
            SessionRate(name: name, bytesPerSecond: row[0], revision: row[1])
        }
    }

    private static let claimStatement = """
        UPDATE download SET
            state = 'running', phase = 'probing', epoch = epoch + 1, owner = :owner, revision = revision + 1,
            attempts = attempts + 1, resumed_from_bytes = durable_bytes,
            started_at = coalesce(started_at, :now), updated_at = :now, next_attempt_at = NULL
        WHERE row = :row AND state = 'queued'
        RETURNING \(DownloadColumns.list)
        """
}
