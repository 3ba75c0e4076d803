/// Actions on many downloads (docs/decisions/0043).
extension FirstSchema {
    /// Operations run in the order of `row`, because ids of the same millisecond have no order.
    ///
    /// The next step continues after `next_id`. Downloads from `fence_row` on were created later and are not handled.
    ///
    /// SQLite reuses the number of the highest row after that row is deleted. The trigger then lowers the fence, so
    /// that no later download comes below it.
    static let operation = """
        CREATE TABLE operation (
            row INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            action TEXT NOT NULL CHECK \(oneOf("action", "pause", "resume", "cancel", "retry", "delete")),
            dry_run INTEGER NOT NULL CHECK (dry_run IN (0, 1)),
            keeps_partial INTEGER NOT NULL CHECK (keeps_partial IN (0, 1)),
            forces INTEGER NOT NULL CHECK (forces IN (0, 1)),
            removes_file INTEGER NOT NULL CHECK (removes_file IN (0, 1)),
            filter_states TEXT,
            filter_session TEXT,
            filter_labels TEXT,
            filter_host TEXT,
            filter_port INTEGER,
            filter_error_code TEXT,
            filter_created_after INTEGER,
            filter_created_before INTEGER,
            filter_finished_after INTEGER,
            filter_finished_before INTEGER,
            filter_text TEXT,
            filter_ids TEXT,
            changed INTEGER NOT NULL CHECK (changed >= 0),
            unchanged INTEGER NOT NULL CHECK (unchanged >= 0),
            failed INTEGER NOT NULL CHECK (failed >= 0),
            created_at INTEGER NOT NULL,
            started_at INTEGER,
            finished_at INTEGER,
            next_id TEXT,
            fence_row INTEGER NOT NULL,
            CHECK (finished_at IS NULL OR started_at IS NOT NULL)
        ) STRICT;
        CREATE INDEX operation_unfinished ON operation (row) WHERE finished_at IS NULL;
        CREATE INDEX operation_finished ON operation (finished_at) WHERE finished_at IS NOT NULL;

        CREATE TABLE operation_failure (
            operation TEXT NOT NULL REFERENCES operation (id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            download TEXT NOT NULL,
            reason TEXT NOT NULL,
            PRIMARY KEY (operation, position)
        ) STRICT, WITHOUT ROWID;

        CREATE TRIGGER download_row_is_free AFTER DELETE ON download
        WHEN OLD.row > (SELECT coalesce(max(row), 0) FROM download)
        BEGIN
            UPDATE operation SET fence_row = (SELECT coalesce(max(row), 0) + 1 FROM download)
            WHERE finished_at IS NULL AND fence_row > (SELECT coalesce(max(row), 0) + 1 FROM download);
        END;
        """
}
