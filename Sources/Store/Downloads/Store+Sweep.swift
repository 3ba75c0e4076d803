public import Core

/// The result of a sweep.
public struct Sweep: Hashable, Sendable {
    /// Whether no due download is left for another sweep.
    public var isComplete: Bool
    /// The claims of running downloads that failed. Their workers must stop.
    public var stoppedEpochs: [DownloadID: Int64]
}

extension Store {
    /// Applies due times: queues waiting downloads that are due, except those that wait for space, and fails downloads
    /// past their deadline, unless they are paused or in phase `publishing`.
    ///
    /// Handles at most `limit` of each, so that one sweep never blocks the writer for long.
    ///
    /// - Parameter isSetBack: Whether the clock may have been set back. A wait that began later than now then ends too,
    ///   because it would last longer than intended.
    public func sweep(isSetBack: Bool = false, limit: Int = 256, now: Timestamp) async throws -> Sweep {
        try await unreadable.skipping { readable in
            try await writer.write { transaction in
                let due = try transaction.sweepDue(readable, limit: limit, now: now)
                let stalled = isSetBack ? try transaction.sweepStalled(readable, limit: limit, now: now) : 0
                let expired = try transaction.sweepExpired(readable, limit: limit, now: now)
                let running = expired.filter { $0.state == .running }
                return Sweep(
                    isComplete: max(due, stalled, expired.count) < limit,
                    stoppedEpochs: Dictionary(running.map { ($0.id, $0.epoch) }) { $1 }
                )
            }
        }
    }

    /// The next due time; nil if there is none.
    public func nextDue() async throws -> Timestamp? {
        let readable = unreadable.filter
        return try await readers.read { database in
            try database.first(
                Timestamp.self,
                """
                SELECT min(at) FROM (
                    SELECT min(next_attempt_at) AS at FROM download {index download_due}
                    WHERE state = 'waiting' AND waiting_for <> 'space' \(readable.clause)
                    UNION ALL
                    SELECT min(deadline_at) FROM download {index download_deadline}
                    WHERE state IN ('queued', 'waiting') \(readable.clause)
                    UNION ALL
                    SELECT min(deadline_at) FROM download {index download_running}
                    WHERE state = 'running' AND phase <> 'publishing' \(readable.clause)
                    UNION ALL
                    SELECT min(held_until_at) FROM host WHERE held_until_at > 0
                ) AS s
                """,
                readable.values + readable.values + readable.values
            )
        }
    }
}

extension Transaction {
    fileprivate func sweepDue(_ readable: RowFilter, limit: Int, now: Timestamp) throws -> Int {
        // A due time beyond the longest delay was recorded before the clock was set back.
        try execute(
            "UPDATE host SET held_until_at = NULL WHERE held_until_at NOT BETWEEN ? + 1 AND ?",
            [now, now + HostWaitReason.longest]
        )
        try execute(
            """
            DELETE FROM host
            WHERE held_until_at IS NULL AND coalesce(refuses_ranges_until_at, 0) NOT BETWEEN ? + 1 AND ?
                AND rate_bytes_per_second IS NULL
            """,
            [now, now + HostWaitReason.rangeRefusal]
        )
        let due = try database.downloads(
            """
            SELECT \(Download.columnList) FROM download {index download_due}
            WHERE state = 'waiting' AND waiting_for <> 'space' AND next_attempt_at <= ? \(readable.clause)
            ORDER BY next_attempt_at LIMIT ?
            """,
            [now] + readable.values + [limit]
        )
        for download in due { try makeDue(download, now: now) }
        return due.count
    }

    /// Skips downloads that wait for `not_before_at`, which is an instant, not a delay.
    fileprivate func sweepStalled(_ readable: RowFilter, limit: Int, now: Timestamp) throws -> Int {
        let stalled = try database.downloads(
            """
            SELECT \(Download.columnList) FROM download {index download_due}
            WHERE state = 'waiting' AND waiting_for <> 'space' AND waiting_for <> 'schedule'
                AND next_attempt_at > ? AND updated_at > ? \(readable.clause)
            ORDER BY next_attempt_at LIMIT ?
            """,
            [now, now] + readable.values + [limit]
        )
        for download in stalled { try makeDue(download, now: now) }
        return stalled.count
    }

    func makeDue(_ old: Download, now: Timestamp) throws {
        if let due = old.becomingDue() { _ = try write(due, over: old, at: now) }
    }

    /// - Returns: The failed downloads before the change.
    fileprivate func sweepExpired(_ readable: RowFilter, limit: Int, now: Timestamp) throws -> [Download] {
        // There are no more running downloads than slots, so they need no index by deadline.
        let expired =
            try database.downloads(
                """
                SELECT \(Download.columnList) FROM download {index download_deadline}
                WHERE state IN ('queued', 'waiting') AND deadline_at <= ? \(readable.clause)
                ORDER BY deadline_at LIMIT ?
                """,
                [now] + readable.values + [limit]
            )
            + database.downloads(
                """
                SELECT \(Download.columnList) FROM download {index download_running}
                WHERE state = 'running' AND phase <> 'publishing' AND deadline_at <= ? \(readable.clause)
                """,
                [now] + readable.values
            )
        for old in expired {
            if let failed = old.missingDeadline(at: now) { _ = try write(failed, over: old, at: now) }
        }
        return expired
    }
}
