import Core

extension StoreInvariants {
    /// Queries that find what must not be.
    static let rules: [(claim: String, query: String)] = [
        (
            "a session's account is the count of its open downloads",
            """
            SELECT name FROM session WHERE open_count <> (SELECT count(*) FROM download
                WHERE session = name AND state NOT IN ('completed', 'failed', 'cancelled'))
            """
        ),
        (
            "what a session holds is what its downloads hold",
            """
            SELECT name FROM session WHERE used_bytes <> (SELECT coalesce(sum(CASE WHEN state = 'running'
                THEN max(durable_bytes, coalesce(total_bytes, 0)) ELSE durable_bytes END), 0)
                FROM download WHERE session = name)
            """
        ),
        (
            "nothing is open in a session that was deleted",
            "SELECT name FROM session WHERE deleted = 1 AND open_count > 0"
        ),
        (
            "an open download belongs to the current epoch",
            """
            SELECT id FROM download d WHERE session IS NOT NULL
                AND state NOT IN ('completed', 'failed', 'cancelled')
                AND session_epoch <> (SELECT s.session_epoch FROM session s WHERE s.name = d.session)
            """
        ),
        (
            "a run that has ended has one terminal event, of its kind, and one that goes on has none",
            """
            SELECT id FROM download d WHERE
                (SELECT count(*) FROM event e WHERE e.download = d.id AND e.run = d.run AND e.terminal = 1)
                    <> (state IN ('completed', 'failed', 'cancelled'))
                OR (SELECT count(*) FROM event e WHERE e.download = d.id AND e.run < d.run AND e.terminal = 1)
                    <> run - 1
                OR EXISTS (SELECT 1 FROM event e WHERE e.download = d.id AND e.run = d.run AND e.terminal = 1
                    AND e.type <> 'download.' || d.state)
            """
        ),
        (
            "an epoch of a session ends once",
            """
            SELECT session FROM event WHERE type = 'session.finished'
            GROUP BY session, session_epoch HAVING count(*) > 1
            """
        ),
        (
            "what was deleted had ended",
            """
            SELECT download FROM event g WHERE type = 'download.deleted' AND NOT EXISTS (SELECT 1 FROM event e
                WHERE e.download = g.download AND e.run = g.run AND e.terminal = 1 AND e.seq < g.seq)
            """
        ),
        (
            "nothing follows the end of a run but its deletion, and what becomes of its file",
            """
            SELECT l.id || ' ' || l.type || ' ' || l.download FROM event e
            JOIN event l ON l.download = e.download AND l.run = e.run AND l.seq > e.seq
            WHERE e.terminal = 1 AND l.type NOT IN ('download.deleted', 'download.file_missing', 'file.expired')
            """
        ),
        (
            "each event that a webhook receives has its delivery, and no other",
            """
            SELECT e.id FROM event e WHERE (SELECT count(*) FROM delivery WHERE event = e.seq)
                <> (e.terminal = 1 OR e.type = 'session.finished')
            """
        ),
        (
            "segments belong to the generation that is written",
            """
            SELECT s.download FROM segment s LEFT JOIN download d ON d.id = s.download
            WHERE d.id IS NULL OR s.generation <> d.generation
            """
        ),
        (
            "block digests belong to the generation that is written",
            """
            SELECT b.download FROM block b LEFT JOIN download d ON d.id = b.download
            WHERE d.id IS NULL OR b.generation <> d.generation
            """
        ),
        (
            "the durable bytes are those of the segments",
            """
            SELECT id FROM download WHERE phase IS NOT 'publishing' AND state <> 'completed'
                AND durable_bytes <> coalesce((SELECT sum(durable_end - start_byte) FROM segment s
                    WHERE s.download = id AND s.generation = generation), 0)
            """
        ),
        (
            "the kept totals of a session are those of its downloads",
            """
            SELECT name FROM session
            WHERE (\(keptTotals)) <> (SELECT \(countedTotals) FROM download WHERE session = name)
            """
        ),
        (
            "the kept totals of the service are those of its downloads",
            "SELECT id FROM download_totals WHERE (\(keptTotals)) <> (SELECT \(countedTotals) FROM download)"
        ),
        (
            "a download has the labels that it shows, and no others are left",
            """
            SELECT d.id FROM download d, json_each(d.labels) j WHERE NOT EXISTS (SELECT 1 FROM download_label l
                WHERE l.name = j.key AND l.value = j.value AND l.id = d.id AND l.row = d.row)
            UNION ALL SELECT l.id FROM download_label l
            WHERE NOT EXISTS (SELECT 1 FROM download d, json_each(d.labels) j
                WHERE d.id = l.id AND j.key = l.name AND j.value = l.value)
            """
        ),
        ("what runs has a node", "SELECT id FROM download WHERE state = 'running' AND node IS NULL"),
    ]

    private static let states = DownloadState.allCases.map(\.rawValue)
    private static let keptTotals =
        (states.map { "\($0)_count" } + ["received_bytes", "total_bytes"]).joined(separator: ", ")
    private static let countedTotals =
        (states.map { "coalesce(sum(state = '\($0)'), 0)" }
        + ["coalesce(sum(durable_bytes), 0)", "coalesce(sum(total_bytes), 0)"]).joined(separator: ", ")
}
