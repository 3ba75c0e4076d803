import Core

extension Transaction {
    /// Increments the count of open downloads. Creates the session on first use.
    ///
    /// - Parameter isNew: Whether the download is new. A sealed session refuses it; a retried download belongs to the
    ///   session already.
    /// - Returns: The epoch that the download will belong to; nil if the session is sealed.
    func openSession(_ name: SessionName, isNew: Bool, at now: Timestamp) throws -> Int64? {
        try database.first(Int64.self, isNew ? Self.openForNew : Self.openAgain, [name, now])
    }

    private static let openForNew = open(where: "WHERE session.sealed_at IS NULL")
    private static let openAgain = open(where: "")

    private static func open(where condition: String) -> String {
        """
        INSERT INTO session (name, open_count, created_at, epoch_started_at) VALUES (?1, 1, ?2, ?2)
        ON CONFLICT (name) DO UPDATE SET
            created_at = CASE WHEN session.deleted = 1 THEN ?2 ELSE session.created_at END,
            deleted = 0,
            epoch_started_at = CASE WHEN session.open_count = 0 THEN ?2 ELSE session.epoch_started_at END,
            open_count = session.open_count + 1,
            finished_at = NULL
        \(condition)
        RETURNING session_epoch
        """
    }

    /// Decrements the count of open downloads. The last one finishes the session, which is recorded as an event.
    ///
    /// - Parameter sequence: The sequence number of the event that ended the download.
    func closeSession(_ name: SessionName, after sequence: Int64, at now: Timestamp) throws {
        let sql = "UPDATE session SET open_count = open_count - 1 WHERE name = ? RETURNING open_count"
        guard try database.first(Int.self, sql, [name]) == 0 else { return }
        try record(try finishedSession(name, after: sequence, at: now), at: now)
        try execute(
            """
            UPDATE session SET session_epoch = session_epoch + 1, finished_at = ?,
                gone_completed = 0, gone_failed = 0, gone_cancelled = 0, gone_bytes = 0
            WHERE name = ?
            """,
            [now, name]
        )
    }

    /// Whether a session accepts no new download. A deleted session may be sealed too.
    func isSealed(_ name: SessionName) throws -> Bool {
        try database.exists("SELECT 1 FROM session WHERE name = ? AND sealed_at IS NOT NULL", [name])
    }

    /// Moves the row of an open download to its new session, and counts it there. The caller has checked that the
    /// session is not sealed.
    func enterSession(of new: Download, from old: Download, at now: Timestamp) throws {
        guard !old.state.isTerminal, !new.state.isTerminal else {
            throw StoreError.refused("\(new.id) has ended and changes its session")
        }
        var epoch: Int64?
        if let session = new.request.session {
            epoch = try openSession(session, isNew: true, at: now)
            if epoch == nil { throw StoreError.refused("session \(session) is sealed") }
        }
        try execute(
            "UPDATE download SET session = ?, session_epoch = ? WHERE id = ?",
            [new.request.session, epoch, new.id]
        )
    }

    /// Counts an open download out of the session that its row has left. If it was the last open one, the session
    /// finishes.
    ///
    /// - Parameter sequence: The event of the change; nil for the newest event.
    func leaveSession(of old: Download, after sequence: Int64?, at now: Timestamp) throws {
        guard let session = old.request.session else { return }
        try closeSession(session, after: sequence ?? newestSequence(), at: now)
    }

    /// Counts an ended download that is being deleted while other downloads of its epoch are open.
    func countGone(_ download: Download) throws {
        guard let session = download.request.session, download.state.isTerminal else { return }
        try execute(
            """
            UPDATE session SET gone_completed = gone_completed + CASE WHEN ?2 = 'completed' THEN 1 ELSE 0 END,
                gone_failed = gone_failed + CASE WHEN ?2 = 'failed' THEN 1 ELSE 0 END,
                gone_cancelled = gone_cancelled + CASE WHEN ?2 = 'cancelled' THEN 1 ELSE 0 END,
                gone_bytes = gone_bytes + ?3
            WHERE name = ?1 AND session_epoch = (SELECT session_epoch FROM download WHERE id = ?4)
            """,
            [session, download.state, download.progress.durableBytes, download.id]
        )
    }

    private func finishedSession(
        _ name: SessionName,
        after sequence: Int64,
        at now: Timestamp
    ) throws -> FinishedSession {
        let gone = try database.first(
            """
            SELECT epoch_started_at, gone_completed, gone_failed, gone_cancelled, gone_bytes
            FROM session WHERE name = ?
            """,
            [name]
        ) { row in
            let startedAt = try row.next(Timestamp.self)
            let counts: [DownloadState: Int] = try [
                .completed: row.next(), .failed: row.next(), .cancelled: row.next(),
            ]
            return (startedAt: startedAt, counts: counts, bytes: try row.next(Int64.self))
        }
        guard let gone, let session = try database.session(name) else { throw StoreError.refused("no session \(name)") }
        var finished = FinishedSession(
            name: name,
            epoch: session.epoch,
            startedAt: gone.startedAt,
            finishedAt: now
        )
        finished.isSealed = session.isSealed
        finished.counts = gone.counts
        finished.receivedBytes = gone.bytes
        finished.failed = []
        finished.lastSequence = sequence
        finished.labels = session.settings.labels
        finished.callbackURL = session.settings.callbackURL
        finished.webhookIDs = session.settings.webhookIDs
        let totals = Statement(
            """
            SELECT state, count(*), sum(durable_bytes) FROM download {index download_by_epoch}
            WHERE session = ? AND session_epoch = ? GROUP BY state
            """,
            [name, finished.epoch]
        )
        try database.rows(totals) { row in
            finished.counts[try row.next(), default: 0] += try row.next()
            finished.receivedBytes += try row.next()
            return true
        }
        finished.failed = try database.all(
            String.self,
            """
            SELECT id FROM download {index download_by_epoch}
            WHERE session = ? AND session_epoch = ? AND state = 'failed' ORDER BY id LIMIT 100
            """,
            [name, finished.epoch]
        ).compactMap { DownloadID($0) }
        return finished
    }
}
