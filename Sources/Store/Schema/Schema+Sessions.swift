/// The tables of sessions and of the processes.
extension Schema {
    /// The row of a deleted session stays, since its downloads and its epoch outlive it. `ended_…` counts the
    /// downloads of the current epoch that have ended.
    static let session = """
        CREATE TABLE session (
            name {text} NOT NULL PRIMARY KEY,
            session_epoch {integer} NOT NULL DEFAULT 1,
            open_count {integer} NOT NULL DEFAULT 0 CHECK (open_count >= 0),
            created_at {integer} NOT NULL,
            epoch_started_at {integer} NOT NULL,
            finished_at {integer},
            sealed_at {integer},
            deleted {flag} NOT NULL DEFAULT 0 CHECK (deleted IN (0, 1)),
            ended_completed {integer} NOT NULL DEFAULT 0,
            ended_failed {integer} NOT NULL DEFAULT 0,
            ended_cancelled {integer} NOT NULL DEFAULT 0,
            ended_bytes {integer} NOT NULL DEFAULT 0,
            revision {integer} NOT NULL DEFAULT 1 CHECK (revision > 0),
            rate_bytes_per_second {integer} CHECK (rate_bytes_per_second > 0),
            max_concurrent {integer} CHECK (max_concurrent > 0),
            max_bytes {integer} CHECK (max_bytes > 0),
            used_bytes {integer} NOT NULL DEFAULT 0 CHECK (used_bytes >= 0),
            description {text},
            labels {text},
            \(retention),
            callback_url {text},
            webhook_ids {text},
            \(totals),
            CHECK (deleted = 0 OR open_count = 0)
        ) {by key};
        CREATE INDEX session_idle ON session ((\(IndexCondition.sessionIdleSince)))
            WHERE \(IndexCondition.sessionIsIdle);
        """

    /// One row of data that a process leaves for the next one: the state of `RetentionClock` while it doubts the wall
    /// clock.
    static let service = """
        CREATE TABLE service (
            id {integer} PRIMARY KEY CHECK (id = 1),
            proven_at {integer},
            claimed_at {integer},
            claim_held_ms {integer} CHECK (claim_held_ms >= 0),
            CHECK (claimed_at IS NULL OR proven_at IS NOT NULL),
            CHECK ((claimed_at IS NULL) = (claim_held_ms IS NULL))
        ) {by row};
        """

    /// The processes that have used the database, and when they have left it.
    static let node = """
        CREATE TABLE node (
            id {text} NOT NULL PRIMARY KEY,
            started_at {integer} NOT NULL,
            left_at {integer}
        ) {by key};
        """
}
