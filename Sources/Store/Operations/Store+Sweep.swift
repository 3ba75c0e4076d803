import GRDB
public import Model

extension Store {
    /// Lets what the clock moves on move on: waiting downloads that are due are queued, and those whose
    /// deadline passed before they got a slot fail.
    ///
    /// At most `limit` of each at a time, so that one sweep never holds the writer for long.
    ///
    /// - Returns: Whether it left some for another sweep.
    public func sweep(limit: Int = 256, now: Timestamp) async throws -> Bool {
        try await writer.write { transaction in
            let due = try transaction.sweepDue(limit: limit, now: now)
            let expired = try transaction.sweepExpired(limit: limit, now: now)
            return due == limit || expired == limit
        }
    }

    /// When the clock next has something to move on, or nil while it has nothing.
    public func nextDue() async throws -> Timestamp? {
        try await readers.read { database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT min(at) FROM (
                        SELECT min(next_attempt_at) AS at FROM download INDEXED BY download_due
                        WHERE state = 'waiting'
                        UNION ALL
                        SELECT min(deadline_at) FROM download INDEXED BY download_deadline
                        WHERE state IN ('queued', 'waiting')
                        UNION ALL
                        SELECT min(held_until) FROM host WHERE held_until > 0
                    )
                    """
            )
            return try Int64.fetchOne(statement).map(Timestamp.init(milliseconds:))
        }
    }

    /// Queues what waits for a cause that has gone: space, or a disk that works again.
    public func release(_ reasons: [WaitingFor], now: Timestamp) async throws {
        try await writer.write { transaction in
            let marks = Array(repeating: "?", count: reasons.count).joined(separator: ", ")
            let waiting = try transaction.database.downloads(
                "SELECT \(DownloadColumns.list) FROM download WHERE state = 'waiting' AND waiting_for IN (\(marks))",
                reasons.map(\.rawValue)
            )
            for download in waiting { try transaction.makeDue(download, now: now) }
        }
    }
}

extension Transaction {
    fileprivate func sweepDue(limit: Int, now: Timestamp) throws -> Int {
        try execute("UPDATE host SET held_until = NULL WHERE held_until <= ?", [now.milliseconds])
        let due = try database.downloads(
            """
            SELECT \(DownloadColumns.list) FROM download INDEXED BY download_due
            WHERE state = 'waiting' AND next_attempt_at <= ? ORDER BY next_attempt_at LIMIT ?
            """,
            [now.milliseconds, limit]
        )
        for download in due { try makeDue(download, now: now) }
        return due.count
    }

    fileprivate func makeDue(_ old: Download, now: Timestamp) throws {
        var machine = old.machine
        guard machine.take(.due) else { return }
        var new = old
        new.adopt(machine)
        _ = try transition(old, to: new, event: nil, at: now)
    }

    fileprivate func sweepExpired(limit: Int, now: Timestamp) throws -> Int {
        let expired = try database.downloads(
            """
            SELECT \(DownloadColumns.list) FROM download INDEXED BY download_deadline
            WHERE state IN ('queued', 'waiting') AND deadline_at <= ? ORDER BY deadline_at LIMIT ?
            """,
            [now.milliseconds, limit]
        )
        for old in expired {
            var machine = old.machine
            guard machine.take(.expired) else { continue }
            var new = old
            new.adopt(machine)
            let error = DownloadError(.deadlineExceeded, message: "The download was not done by its deadline.")
            new.error = DownloadFailure(error: error, isRetried: false, attempt: old.attempts.count, at: now)
            _ = try transition(old, to: new, event: .downloadFailed, at: now)
        }
        return expired.count
    }
}
