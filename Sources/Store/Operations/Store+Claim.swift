import GRDB
public import Model

/// How many downloads may run.
public struct Slots: Hashable, Sendable {
    /// Free ones on the server.
    public var free: Int
    /// The most that one host (`host:port`) is asked for at once.
    public var perHost: Int

    public init(free: Int, perHost: Int) {
        self.free = free
        self.perHost = perHost
    }
}

extension Store {
    /// Claims the oldest queued downloads for which there are slots: the server's and their host's.
    ///
    /// A statement chooses and marks at once, so no two workers ever hold the same download.
    ///
    /// - Parameter slots: Asked for when the claim's turn comes: what became free while it waited is used too.
    public func claim(
        _ slots: @autoclosure @escaping @Sendable () -> Slots,
        owner: String,
        now: Timestamp
    ) async throws -> [ClaimedDownload] {
        try await unreadable.skipping { readable in
            try await writer.write { transaction in
                let claimed = try transaction.claim(slots(), readable, owner: owner, now: now)
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
            hostRefusesRanges: try hostRefusesRanges(download.request.url.authority, now: now)
        )
    }

    fileprivate func claim(
        _ slots: Slots,
        _ readable: RowFilter,
        owner: String,
        now: Timestamp
    ) throws -> [Download] {
        var claimed: [Download] = []
        // One walk sees as many downloads as there are slots. Where some of them wait for their host,
        // the next walk passes those by: no slot stays empty that a later download could use.
        while try claimed.count < slots.free && hasQueued() {
            let more = try database.downloads(
                Self.claimStatement(readable.clause),
                [
                    "slots": slots.free - claimed.count, "per_host": slots.perHost, "owner": owner,
                    "now": now.milliseconds,
                ],
                readable
            )
            guard !more.isEmpty else { break }
            // RETURNING promises no order.
            claimed += more.sorted { ($0.times.queuedAt, $0.id.text) < ($1.times.queuedAt, $1.id.text) }
        }
        return claimed
    }

    /// A look that costs little: most claims of a busy server find an empty queue.
    private func hasQueued() throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT 1 FROM download INDEXED BY download_queue WHERE state = 'queued' LIMIT 1"
        )
        return try Int.fetchOne(statement) != nil
    }

    private func hostRefusesRanges(_ authority: String, now: Timestamp) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT 1 FROM host WHERE authority = ? AND refuses_ranges_until > ?"
        )
        return try Int.fetchOne(statement, arguments: [authority, now.milliseconds]) != nil
    }

    /// Walks the queue in its order, skipping full hosts and those that are held back, as far as there are slots.
    /// Downloads of one host within the same claim are numbered, so that together they do not pass the limit either.
    ///
    /// The indexes are named: without statistics SQLite would sort the whole queue for each claim.
    ///
    /// - Parameter clause: Leaves rows out, of what runs too: a slot that nobody gives back would stay taken.
    private static func claimStatement(_ clause: String) -> String {
        """
        WITH running_host AS (
            SELECT authority, count(*) AS n FROM download INDEXED BY download_running
            WHERE state = 'running' \(clause) GROUP BY authority
        ), candidate AS (
            SELECT id, authority, queued_at FROM download INDEXED BY download_queue
            WHERE state = 'queued' \(clause)
            AND authority NOT IN (SELECT authority FROM running_host WHERE n >= :per_host)
            AND authority NOT IN (SELECT authority FROM host WHERE held_until > :now)
            ORDER BY queued_at, id LIMIT :slots
        ), numbered AS (
            SELECT c.id, row_number() OVER (PARTITION BY c.authority ORDER BY c.queued_at, c.id)
                + coalesce((SELECT n FROM running_host r WHERE r.authority = c.authority), 0) AS of_host
            FROM candidate c
        )
        UPDATE download SET
            state = 'running', phase = 'probing', epoch = epoch + 1, owner = :owner, revision = revision + 1,
            attempts = attempts + 1, resumed_from_bytes = durable_bytes,
            started_at = coalesce(started_at, :now), updated_at = :now, next_attempt_at = NULL
        WHERE id IN (SELECT id FROM numbered WHERE of_host <= :per_host)
        RETURNING \(DownloadColumns.list)
        """
    }
}
