/// Indexes, labels and totals of downloads (docs/decisions/0041).
extension Schema {
    static let downloadIndexes = """
        CREATE INDEX download_by_state ON download (state, id);
        CREATE INDEX download_by_session ON download (session, state, id) WHERE session IS NOT NULL;
        CREATE INDEX download_by_host ON download (host, id);
        CREATE INDEX download_by_error ON download (error_code, id) WHERE error_code IS NOT NULL;
        CREATE INDEX download_by_name ON download (name_key, id);
        CREATE INDEX download_by_size ON download (total_bytes, id) WHERE total_bytes IS NOT NULL;
        CREATE INDEX download_by_priority ON download (priority, id) WHERE priority <> 0;
        CREATE INDEX download_by_end ON download (finished_at, id) WHERE finished_at IS NOT NULL;
        CREATE INDEX download_by_epoch ON download (session, session_epoch, state) WHERE session IS NOT NULL;
        CREATE INDEX download_running ON download (authority, session, state) WHERE state = 'running';
        CREATE INDEX download_due ON download (next_attempt_at, updated_at, waiting_for)
            WHERE state = 'waiting' AND waiting_for <> 'space';
        CREATE INDEX download_short ON download (root, priority DESC, queued_at) WHERE waiting_for = 'space';
        CREATE INDEX download_deadline ON download (deadline_at) WHERE state IN ('queued', 'waiting');
        CREATE INDEX download_completed ON download (finished_at) WHERE state = 'completed';
        CREATE INDEX download_ended ON download (finished_at) WHERE state IN ('failed', 'cancelled');
        CREATE INDEX download_failed_bytes ON download (finished_at) WHERE state = 'failed' AND durable_bytes > 0;
        CREATE UNIQUE INDEX download_dedupe ON download (dedupe_key)
            WHERE dedupe_key IS NOT NULL AND state NOT IN ('failed', 'cancelled');
        CREATE INDEX download_by_file ON download (file_path, file_root) WHERE file_path IS NOT NULL;
        CREATE INDEX download_by_kept_file ON download (kept_path, kept_root) WHERE kept_path IS NOT NULL;
        CREATE UNIQUE INDEX download_moving ON download (file_moving_to, file_root) WHERE file_moving_to IS NOT NULL;
        CREATE UNIQUE INDEX download_publishing ON download (file_path, file_root) WHERE phase = 'publishing';
        CREATE INDEX download_expiry ON download ((\(IndexCondition.expiry))) WHERE \(IndexCondition.hasExpiry);
        CREATE INDEX download_default_expiry ON download (finished_at) WHERE \(IndexCondition.hasDefaultExpiry);
        CREATE INDEX download_expiring ON download (file_expired_at) WHERE \(IndexCondition.isExpiring);
        CREATE INDEX download_expired ON download (finished_at) WHERE \(IndexCondition.isExpired);
        CREATE INDEX download_queue ON download (priority DESC, lane, queued_at, id, authority, state)
            WHERE state = 'queued';
        CREATE INDEX download_queue_by_host ON download (priority, lane, authority, queued_at, id, state)
            WHERE state = 'queued';
        """

    /// The totals of all downloads, in one row.
    static let downloadTotals = """
        CREATE TABLE download_totals (
            id {integer} PRIMARY KEY CHECK (id = 1),
            \(totals)
        ) {by row};
        INSERT INTO download_totals (id) VALUES (1);
        """

    /// The labels of downloads, in the order of ids like the indexes.
    static let downloadLabel = """
        CREATE TABLE download_label (
            name {text} NOT NULL,
            value {text} NOT NULL,
            id {text} NOT NULL,
            row {integer} NOT NULL,
            PRIMARY KEY (name, value, id)
        ) {by key};
        """
}
