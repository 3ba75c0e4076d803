import Core
import GRDB

extension Transaction {
    /// Increments the count of open downloads. Creates the session on first use.
    ///
    /// - Parameter isNew: Whether the download is new. A sealed session refuses it; a retried download belongs to the
    ///   session already.
    /// - Returns: The epoch that the download will belong to; nil if the session is sealed.
    func openSession(_ name: SessionName, isNew: Bool, at now: Timestamp) throws -> Int64? {
        let statement = try database.cachedStatement(sql: isNew ? Self.openForNew : Self.openAgain)
        return try Int64.fetchOne(statement, arguments: [name.text, now.milliseconds])
    }

    private static let openForNew = open(where: "WHERE sealed_at IS NULL")
    private static let openAgain = open(where: "")

    private static func open(where condition: String) -> String {
        """
        INSERT INTO session (name, open_count, created_at, epoch_started_at) VALUES (?1, 1, ?2, ?2)
        ON CONFLICT (name) DO UPDATE SET
            created_at = CASE WHEN deleted = 1 THEN ?2 ELSE created_at END,
            deleted = 0,
            epoch_started_at = CASE WHEN open_count = 0 THEN ?2 ELSE epoch_started_at END,
            open_count = open_count + 1,
            finished_at = NULL
        \(condition)
        RETURNING session_epoch
        """
    }

    /// Decrements the count of open downloads. The last one finishes the session, which is recorded as an event.
    ///
    /// - Parameter sequence: The sequence number of the event that ended the download.
    func closeSession(_ name: SessionName, after sequence: Int64, at now: Timestamp) throws {
        let statement = try database.cachedStatement(
            sql: "UPDATE session SET open_count = open_count - 1 WHERE name = ? RETURNING open_count"
        )
        guard try Int.fetchOne(statement, arguments: [name.text]) == 0 else { return }
        try record(try finishedSession(name, after: sequence, at: now), at: now)
        try execute(
            """
            UPDATE session SET session_epoch = session_epoch + 1, finished_at = ?,
                gone_completed = 0, gone_failed = 0, gone_cancelled = 0, gone_bytes = 0
            WHERE name = ?
            """,
            [now.milliseconds, name.text]
        )
    }

    /// Whether a session accepts no new download. A deleted session may be sealed too.
    func isSealed(_ name: SessionName) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT 1 FROM session WHERE name = ? AND sealed_at IS NOT NULL"
        )
        return try Int.fetchOne(statement, arguments: [name.text]) != nil
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
            [new.request.session?.text, epoch, new.id.text]
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
            UPDATE session SET gone_completed = gone_completed + (?2 = 'completed'),
                gone_failed = gone_failed + (?2 = 'failed'), gone_cancelled = gone_cancelled + (?2 = 'cancelled'),
                gone_bytes = gone_bytes + ?3
            WHERE name = ?1 AND session_epoch = (SELECT session_epoch FROM download WHERE id = ?4)
            """,
            [session.text, download.state.rawValue, download.progress.durableBytes, download.id.text]
        )
    }

    private func finishedSession(
        _ name: SessionName,
        after sequence: Int64,
        at now: Timestamp
    ) throws -> FinishedSession {
        let gone = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT epoch_started_at, gone_completed, gone_failed, gone_cancelled, gone_bytes
                    FROM session WHERE name = ?
                    """
            ),
            arguments: [name.text]
        )
        guard let gone, let session = try database.session(name) else { throw StoreError.refused("no session \(name)") }
        var finished = FinishedSession(
            name: name,
            epoch: session.epoch,
            startedAt: Timestamp(milliseconds: gone["epoch_started_at"]),
            finishedAt: now
        )
        finished.isSealed = session.isSealed
        finished.counts = [
            .completed: gone["gone_completed"], .failed: gone["gone_failed"], .cancelled: gone["gone_cancelled"],
        ]
        finished.receivedBytes = gone["gone_bytes"]
        finished.failed = []
        finished.lastSequence = sequence
        finished.labels = session.settings.labels
        finished.callbackURL = session.settings.callbackURL
        finished.webhookIDs = session.settings.webhookIDs
        let totals = try Row.fetchCursor(
            database.cachedStatement(
                sql: """
                    SELECT state, count(*), sum(durable_bytes) FROM download INDEXED BY download_by_epoch
                    WHERE session = ? AND session_epoch = ? GROUP BY state
                    """
            ),
            arguments: [name.text, finished.epoch]
        )
        while let row = try totals.next() {
            var reader = RowReader(row)
            finished.counts[try reader.next(), default: 0] += try reader.next()
            finished.receivedBytes += try reader.next()
        }
        finished.failed = try String.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT id FROM download INDEXED BY download_by_epoch
                    WHERE session = ? AND session_epoch = ? AND state = 'failed' ORDER BY id LIMIT 100
                    """
            ),
            arguments: [name.text, finished.epoch]
        ).compactMap { DownloadID($0) }
        return finished
    }
}
