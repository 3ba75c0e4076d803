public import Core

/// The result of a purge.
public struct Purge: Sendable {
    /// Whether nothing is left to purge now.
    public let isComplete: Bool
}

extension Store {
    /// Deletes records past their retention period, at most `limit` rows of each kind. Of completed downloads only
    /// those whose files expired are deleted here; for others see ``finished(after:limit:)``.
    ///
    /// - Parameter instant: The time from which ages are measured (``RetentionClock``); nil for `now`.
    public func purge(
        _ ages: PurgeAges,
        limit: Int = 500,
        at instant: Timestamp? = nil,
        now: Timestamp
    ) async throws -> Purge {
        try await unreadable.skipping { readable in
            // It makes room, so it may use the reserve of a full disk.
            try await writer.write(isVital: true) {
                try $0.purge(ages, readable, limit: limit, at: instant ?? now, now: now)
            }
        }
    }
}

extension Transaction {
    fileprivate func purge(
        _ ages: PurgeAges,
        _ readable: RowFilter,
        limit: Int,
        at instant: Timestamp,
        now: Timestamp
    ) throws -> Purge {
        let ends = ages.limits(at: instant)
        let ended = ends.finishedDownloads
        let downloads = try ended.map { try purgeDownloads(readable, before: $0, limit: limit, now: now) } ?? 0
        let expired = try ended.map { try purgeExpired(readable, before: $0, limit: limit) } ?? 0
        let bytes = try purgeFailedBytes(readable, before: ends.failedBytes, limit: limit, now: now)
        let responses = try purgeResponses(before: ends.responses, limit: limit, now: now)
        let events = try purgeEvents(before: ends.events, limit: limit)
        let sessions = try ended.map { try purgeSessions(before: $0, limit: limit) } ?? 0
        let webhooks = try purgeWebhooks(limit: limit, now: now)
        let operations = try purgeOperations(before: ends.events, limit: limit)
        return Purge(
            isComplete: max(downloads, expired, bytes, responses, events, sessions, webhooks, operations)
                < limit
        )
    }

    fileprivate func purgeDownloads(
        _ readable: RowFilter,
        before time: Timestamp,
        limit: Int,
        now: Timestamp
    ) throws -> Int {
        let old = try database.downloads(
            """
            SELECT \(Download.columnList) FROM download {index download_ended}
            WHERE finished_at <= ? AND state IN ('failed', 'cancelled') AND kept_path IS NULL \(readable.clause)
            ORDER BY finished_at LIMIT ?
            """,
            [time] + readable.values + [limit]
        )
        for download in old {
            try remove(download.partTask, at: now)
            try delete(download)
        }
        return old.count
    }

    /// Deletes the records of files that were removed because their time was over.
    fileprivate func purgeExpired(_ readable: RowFilter, before time: Timestamp, limit: Int) throws -> Int {
        let old = try database.downloads(
            """
            SELECT \(Download.columnList) FROM download {index download_expired}
            WHERE \(IndexCondition.isExpired) AND finished_at <= ? \(readable.clause)
            ORDER BY finished_at LIMIT ?
            """,
            [time] + readable.values + [limit]
        )
        for download in old { try delete(download) }
        return old.count
    }

    fileprivate func purgeFailedBytes(
        _ readable: RowFilter,
        before time: Timestamp,
        limit: Int,
        now: Timestamp
    ) throws -> Int {
        let failed = try database.downloads(
            """
            SELECT \(Download.columnList) FROM download {index download_failed_bytes}
            WHERE finished_at <= ? AND state = 'failed' AND durable_bytes > 0 \(readable.clause)
            ORDER BY finished_at LIMIT ?
            """,
            [time] + readable.values + [limit]
        )
        for old in failed {
            let purged = old.purgingBytes()
            try writeBytes(purged, of: old, at: now)
            try update(old, to: purged.download)
        }
        return failed.count
    }

    fileprivate func purgeResponses(before time: Timestamp, limit: Int, now: Timestamp) throws -> Int {
        // A response with a time in the future was recorded before the clock was set back. Its age counts from now.
        try execute("UPDATE idempotency SET created_at = ?1 WHERE created_at > ?1", [now])
        return try execute(
            """
            DELETE FROM idempotency WHERE (scope, key) IN
                (SELECT scope, key FROM idempotency WHERE created_at <= ? ORDER BY created_at LIMIT ?)
            """,
            [time, limit]
        )
    }

    /// The newest event is never purged, because later sequence numbers follow from it. An event is purged once each
    /// of its deliveries has ended, or waits for a disabled webhook. The purge starts at the oldest event and ends at
    /// the first that must stay. So it does not read the whole log, and no event after the oldest one is ever purged:
    /// the oldest event shows a reader whether it missed one.
    fileprivate func purgeEvents(before time: Timestamp, limit: Int) throws -> Int {
        let purged = try database.all(
            Int64.self,
            """
            SELECT seq FROM event WHERE seq < coalesce(
                (SELECT min(seq) FROM (SELECT seq, at FROM event ORDER BY seq LIMIT ?2 + 1) AS s
                    WHERE at > ?1 OR EXISTS (SELECT 1 FROM delivery d WHERE d.event = seq
                        AND (d.finished_at > ?1 OR d.finished_at IS NULL
                            AND d.webhook IN (SELECT id FROM webhook WHERE enabled = 1)))),
                (SELECT max(seq) FROM event))
            ORDER BY seq LIMIT ?2
            """,
            [time, limit]
        )
        for sequence in purged {
            try purgeDeliveries(of: sequence)
            try execute("DELETE FROM event WHERE seq = ?", [sequence])
        }
        return purged.count
    }

    /// A session is purged only with all its records: otherwise its next epoch would reuse a reported number. A session
    /// with settings of a client stays, unless it is sealed: a sealed session gets no more downloads.
    fileprivate func purgeSessions(before time: Timestamp, limit: Int) throws -> Int {
        // A later session of the same name must not get the account of the purged one.
        try writeAccounts()
        rows.accounts.forgetAll()
        return try execute(
            """
            DELETE FROM session WHERE name IN (
                SELECT name FROM session {index session_idle}
                WHERE \(IndexCondition.sessionIsIdle) AND \(IndexCondition.sessionIdleSince) <= ?
                AND NOT EXISTS (SELECT 1 FROM download d WHERE d.session = name)
                AND NOT EXISTS (SELECT 1 FROM event e WHERE e.session = name AND e.type = 'session.finished')
                ORDER BY \(IndexCondition.sessionIdleSince) LIMIT ?)
            """,
            [time, limit]
        )
    }
}
