/// The tables of actions on many downloads (docs/decisions/0043), and of removals from a disk.
extension Schema {
    /// Operations run in the order of `row`, because ids of the same millisecond have no order.
    ///
    /// The next step continues after `next_id`. Downloads from `fence_row` on were created later and are not handled.
    static let operation = """
        CREATE TABLE operation (
            row {key},
            id {text} NOT NULL UNIQUE,
            action {text} NOT NULL CHECK \(oneOf("action", "pause", "resume", "cancel", "retry", "delete")),
            dry_run {flag} NOT NULL CHECK (dry_run IN (0, 1)),
            keeps_partial {flag} NOT NULL CHECK (keeps_partial IN (0, 1)),
            forces {flag} NOT NULL CHECK (forces IN (0, 1)),
            removes_file {flag} NOT NULL CHECK (removes_file IN (0, 1)),
            filter_states {text},
            filter_session {text},
            filter_labels {text},
            filter_host {text},
            filter_port {integer},
            filter_error_code {text},
            filter_created_after {integer},
            filter_created_before {integer},
            filter_finished_after {integer},
            filter_finished_before {integer},
            filter_text {text},
            filter_ids {text},
            changed {integer} NOT NULL CHECK (changed >= 0),
            unchanged {integer} NOT NULL CHECK (unchanged >= 0),
            failed {integer} NOT NULL CHECK (failed >= 0),
            created_at {integer} NOT NULL,
            started_at {integer},
            finished_at {integer},
            next_id {text},
            fence_row {integer} NOT NULL,
            CHECK (finished_at IS NULL OR started_at IS NOT NULL)
        ) {by row};
        CREATE INDEX operation_unfinished ON operation (row) WHERE finished_at IS NULL;
        CREATE INDEX operation_finished ON operation (finished_at) WHERE finished_at IS NOT NULL;
        """

    /// The downloads that an operation could not change.
    static let operationFailure = """
        CREATE TABLE operation_failure (
            operation {text} NOT NULL REFERENCES operation (id) ON DELETE CASCADE,
            position {integer} NOT NULL,
            download {text} NOT NULL,
            reason {text} NOT NULL,
            PRIMARY KEY (operation, position)
        ) {by key};
        """

    /// What is to be removed from a disk after the commit that no longer needs it.
    static let storageTask = """
        CREATE TABLE storage_task (
            row {key},
            kind {text} NOT NULL CHECK \(oneOf("kind", "part", "file")),
            download {text} NOT NULL,
            generation {integer},
            root {text} NOT NULL,
            path {text},
            size_bytes {integer},
            digests {text},
            device {integer},
            inode {integer},
            modified {integer},
            placed_at {integer},
            due_at {integer} NOT NULL,
            CHECK ((kind = 'part') = (generation IS NOT NULL)),
            CHECK ((kind = 'file') = (path IS NOT NULL))
        ) {by row};
        CREATE INDEX storage_task_due ON storage_task (due_at);
        """
}
