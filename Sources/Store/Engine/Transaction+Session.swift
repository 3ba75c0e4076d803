import GRDB
import Model

extension Transaction {
    /// Counts a download in as open, making its session on first use.
    ///
    /// - Returns: The drain of the session that the download will belong to.
    func openSession(_ name: SessionName, at now: Timestamp) throws -> Int64 {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO session (name, open_count, created_at, epoch_started_at) VALUES (?1, 1, ?2, ?2)
                ON CONFLICT (name) DO UPDATE SET
                    epoch_started_at = CASE WHEN open_count = 0 THEN ?2 ELSE epoch_started_at END,
                    open_count = open_count + 1,
                    finished_at = NULL
                RETURNING session_epoch
                """
        )
        guard let epoch = try Int64.fetchOne(statement, arguments: [name.text, now.milliseconds]) else {
            throw StoreError.refused("session \(name) was not made")
        }
        return epoch
    }

    /// Counts a download out; the last one out drains the session, which is an event of its own.
    func closeSession(_ name: SessionName, at now: Timestamp) throws {
        let statement = try database.cachedStatement(
            sql: "UPDATE session SET open_count = open_count - 1 WHERE name = ? RETURNING open_count"
        )
        guard try Int.fetchOne(statement, arguments: [name.text]) == 0 else { return }
        try record(try drain(of: name, at: now), at: now)
        try execute(
            "UPDATE session SET session_epoch = session_epoch + 1, finished_at = ? WHERE name = ?",
            [now.milliseconds, name.text]
        )
    }

    private func drain(of name: SessionName, at now: Timestamp) throws -> SessionDrain {
        let session = try Row.fetchOne(
            database.cachedStatement(
                sql: "SELECT session_epoch, epoch_started_at, labels, callback_url FROM session WHERE name = ?"
            ),
            arguments: [name.text]
        )
        guard let session else { throw StoreError.refused("no session \(name)") }
        var reader = RowReader(session)
        var drain = try SessionDrain(
            name: name,
            epoch: reader.next(),
            counts: [:],
            receivedBytes: 0,
            startedAt: reader.time(),
            finishedAt: now,
            failed: [],
            labels: reader.optional(String.self).map(JSONText.init(canonical:)),
            callbackURL: reader.optional()
        )
        let totals = try Row.fetchCursor(
            database.cachedStatement(
                sql: """
                    SELECT state, count(*), sum(durable_bytes) FROM download
                    WHERE session = ? AND session_epoch = ? GROUP BY state
                    """
            ),
            arguments: [name.text, drain.epoch]
        )
        while let row = try totals.next() {
            var reader = RowReader(row)
            drain.counts[try reader.word()] = try reader.next()
            drain.receivedBytes += try reader.next()
        }
        drain.failed = try String.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT id FROM download INDEXED BY download_by_drain
                    WHERE session = ? AND session_epoch = ? AND state = 'failed' ORDER BY id LIMIT 100
                    """
            ),
            arguments: [name.text, drain.epoch]
        ).compactMap { DownloadID($0) }
        return drain
    }
}
