/// The tables as version 1 created them. Every invariant is also a CHECK, a unique index or a trigger, so that no code
/// path can write a row that the rules forbid.
enum FirstSchema {
    /// The row of a deleted session stays, since its downloads and its epoch outlive it. `gone_…` counts the
    /// downloads of the current epoch that have ended and are already deleted.
    static let session = """
        CREATE TABLE session (
            name TEXT NOT NULL PRIMARY KEY,
            session_epoch INTEGER NOT NULL DEFAULT 1,
            open_count INTEGER NOT NULL DEFAULT 0 CHECK (open_count >= 0),
            created_at INTEGER NOT NULL,
            epoch_started_at INTEGER NOT NULL,
            finished_at INTEGER,
            sealed_at INTEGER,
            deleted INTEGER NOT NULL DEFAULT 0 CHECK (deleted IN (0, 1)),
            gone_completed INTEGER NOT NULL DEFAULT 0,
            gone_failed INTEGER NOT NULL DEFAULT 0,
            gone_cancelled INTEGER NOT NULL DEFAULT 0,
            gone_bytes INTEGER NOT NULL DEFAULT 0,
            revision INTEGER NOT NULL DEFAULT 1 CHECK (revision > 0),
            rate_bytes_per_second INTEGER CHECK (rate_bytes_per_second > 0),
            max_concurrent INTEGER CHECK (max_concurrent > 0),
            max_bytes INTEGER CHECK (max_bytes > 0),
            used_bytes INTEGER NOT NULL DEFAULT 0 CHECK (used_bytes >= 0),
            description TEXT,
            labels TEXT,
            \(retention),
            callback_url TEXT,
            webhook_ids TEXT,
            \(totals),
            CHECK (deleted = 0 OR open_count = 0)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX session_naming ON session (name) WHERE webhook_ids IS NOT NULL;
        CREATE INDEX session_idle ON session (\(sessionIdleSince)) WHERE \(IndexCondition.sessionIsIdle);
        """

    static let sessionIdleSince = "max(coalesce(finished_at, created_at), coalesce(sealed_at, 0))"

    /// One row of data that a process leaves for the next one: the process that stopped gracefully and left downloads
    /// running, and the state of `RetentionClock` while it doubts the wall clock.
    static let service = """
        CREATE TABLE service (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            stopped_owner TEXT,
            proven_at INTEGER,
            claimed_at INTEGER,
            claim_held_ms INTEGER CHECK (claim_held_ms >= 0),
            CHECK (claimed_at IS NULL OR proven_at IS NOT NULL),
            CHECK ((claimed_at IS NULL) = (claim_held_ms IS NULL))
        ) STRICT;
        """

    static let host = """
        CREATE TABLE host (
            authority TEXT NOT NULL PRIMARY KEY,
            held_until INTEGER,
            refuses_ranges_until INTEGER,
            rate_bytes_per_second INTEGER CHECK (rate_bytes_per_second > 0)
        ) STRICT, WITHOUT ROWID;
        """

    /// The rate limits that clients set in place of the settings: at most one row. A NULL replacement means no limit.
    static let rateLimits = """
        CREATE TABLE rate_limits (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            revision INTEGER NOT NULL CHECK (revision > 0),
            changed_at INTEGER NOT NULL,
            paused INTEGER CHECK (paused IN (0, 1)),
            replaces_rate INTEGER NOT NULL CHECK (replaces_rate IN (0, 1)),
            rate_bytes_per_second INTEGER CHECK (rate_bytes_per_second > 0),
            replaces_host_rate INTEGER NOT NULL CHECK (replaces_host_rate IN (0, 1)),
            host_rate_bytes_per_second INTEGER CHECK (host_rate_bytes_per_second > 0),
            replaces_schedule INTEGER NOT NULL CHECK (replaces_schedule IN (0, 1)),
            CHECK (replaces_rate = 1 OR rate_bytes_per_second IS NULL),
            CHECK (replaces_host_rate = 1 OR host_rate_bytes_per_second IS NULL)
        ) STRICT;

        CREATE TABLE rate_window (
            position INTEGER PRIMARY KEY,
            days INTEGER NOT NULL CHECK (days BETWEEN 1 AND 127),
            from_minute INTEGER NOT NULL CHECK (from_minute BETWEEN 0 AND 1440),
            to_minute INTEGER NOT NULL CHECK (to_minute BETWEEN 0 AND 1440),
            rate_bytes_per_second INTEGER CHECK (rate_bytes_per_second > 0),
            paused INTEGER NOT NULL CHECK (paused IN (0, 1)),
            CHECK (paused = 0 OR rate_bytes_per_second IS NULL)
        ) STRICT;
        """

    static let download = """
        CREATE TABLE download (
            row INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            session TEXT REFERENCES session (name),
            session_epoch INTEGER CHECK ((session IS NULL) = (session_epoch IS NULL)),
            dedupe_key TEXT,
            callback_url TEXT,
            webhook_ids TEXT,
            created_at INTEGER NOT NULL,

            url TEXT NOT NULL,
            scheme TEXT NOT NULL,
            host TEXT NOT NULL,
            port INTEGER NOT NULL CHECK (port BETWEEN 1 AND 65535),
            path TEXT NOT NULL,
            authority TEXT NOT NULL,
            name_key TEXT NOT NULL,
            mirrors TEXT,
            metalink TEXT NOT NULL CHECK (metalink IN ('follow', 'keep')),
            refresh_url TEXT,
            root TEXT NOT NULL,
            directory TEXT,
            filename TEXT,
            on_conflict TEXT NOT NULL CHECK \(oneOf("on_conflict", "rename", "overwrite", "fail", "skip", "if_newer")),
            credentials BLOB,
            header_names TEXT,
            cookie_names TEXT,
            authentication_scheme TEXT CHECK \(oneOf("authentication_scheme", "basic", "digest", "bearer")),
            posted_bytes INTEGER CHECK (posted_bytes >= 0),
            proxy TEXT,
            expected_size_bytes INTEGER CHECK (expected_size_bytes >= 0),
            expected_digests TEXT,
            expected_content_type TEXT,
            max_bytes INTEGER CHECK (max_bytes >= 0),
            rate_bytes_per_second INTEGER CHECK (rate_bytes_per_second > 0),
            connections INTEGER CHECK (connections BETWEEN 1 AND 32),
            max_attempts INTEGER CHECK (max_attempts > 0),
            connect_timeout_seconds INTEGER CHECK (connect_timeout_seconds > 0),
            silence_timeout_seconds INTEGER CHECK (silence_timeout_seconds > 0),
            give_up_seconds INTEGER CHECK (give_up_seconds > 0),
            retry_delay_seconds INTEGER CHECK (retry_delay_seconds > 0),
            retry_max_delay_seconds INTEGER CHECK (retry_max_delay_seconds > 0),
            retry_statuses TEXT,
            deadline_is_default INTEGER NOT NULL CHECK (deadline_is_default IN (0, 1)),
            priority INTEGER NOT NULL CHECK (priority BETWEEN -100 AND 100),
            not_before INTEGER,
            \(retention),
            accepts_unverified_length INTEGER NOT NULL CHECK (accepts_unverified_length IN (0, 1)),
            accepts_html INTEGER NOT NULL CHECK (accepts_html IN (0, 1)),
            preserves_mtime INTEGER CHECK (preserves_mtime IN (0, 1)),
            description TEXT,
            labels TEXT,
            metadata TEXT,

            state TEXT NOT NULL CHECK
                \(oneOf("state", "queued", "running", "waiting", "paused", "completed", "failed", "cancelled")),
            phase TEXT CHECK \(oneOf("phase", "probing", "transferring", "verifying", "publishing")),
            waiting_for TEXT CHECK
                \(oneOf("waiting_for", "retry", "space", "io", "credentials", "host", "schedule", "resume")),
            revision INTEGER NOT NULL CHECK (revision > 0),
            run INTEGER NOT NULL CHECK (run > 0),
            epoch INTEGER NOT NULL CHECK (epoch >= 0),
            owner TEXT,
            generation INTEGER NOT NULL CHECK (generation > 0),
            attempts INTEGER NOT NULL CHECK (attempts >= 0),
            attempts_without_progress INTEGER NOT NULL CHECK (attempts_without_progress >= 0),
            restarts INTEGER NOT NULL CHECK (restarts >= 0),
            same_failures INTEGER NOT NULL CHECK (same_failures >= 0),
            suspect_answers INTEGER NOT NULL CHECK (suspect_answers >= 0),
            mismatches INTEGER NOT NULL CHECK (mismatches >= 0),
            new_links INTEGER NOT NULL CHECK (new_links >= 0),
            crash_count INTEGER NOT NULL CHECK (crash_count >= 0),
            crash_count_despite_progress INTEGER NOT NULL CHECK (crash_count_despite_progress >= 0),

            durable_bytes INTEGER NOT NULL CHECK (durable_bytes >= 0),
            total_bytes INTEGER CHECK (total_bytes >= 0),
            resumed_from_bytes INTEGER NOT NULL CHECK (resumed_from_bytes >= 0),
            final_url TEXT,
            redirects INTEGER NOT NULL,
            http_version TEXT,
            http_status INTEGER,
            etag TEXT,
            last_modified TEXT,
            last_modified_is_strong INTEGER NOT NULL CHECK (last_modified_is_strong IN (0, 1)),
            content_type TEXT,
            content_encoding TEXT,
            suggested_name TEXT,
            remote_address TEXT,
            source_digests TEXT,
            source_url TEXT,
            source_mirrors TEXT,
            source_is_metalink INTEGER NOT NULL CHECK (source_is_metalink IN (0, 1)),
            former_total_bytes INTEGER CHECK (former_total_bytes >= 0),
            former_etag TEXT,
            former_last_modified TEXT,
            former_content_type TEXT,

            file_path TEXT,
            file_root TEXT,
            file_size_bytes INTEGER,
            file_digests TEXT,
            file_device INTEGER,
            file_inode INTEGER,
            file_modified INTEGER,
            file_moving_to TEXT,
            file_placed_at INTEGER,
            file_is_missing INTEGER CHECK (file_is_missing IN (0, 1)),
            file_is_skipped INTEGER CHECK (file_is_skipped IN (0, 1)),
            file_expired_at INTEGER,

            kept_path TEXT,
            kept_root TEXT,
            kept_size_bytes INTEGER,
            kept_digests TEXT,
            kept_device INTEGER,
            kept_inode INTEGER,
            kept_modified INTEGER,
            kept_placed_at INTEGER,

            error_code TEXT,
            error_message TEXT,
            error_http_status INTEGER,
            error_transport_code INTEGER,
            error_is_retried INTEGER,
            error_attempt INTEGER,
            error_at INTEGER,

            updated_at INTEGER NOT NULL,
            queued_at INTEGER NOT NULL,
            started_at INTEGER,
            finished_at INTEGER,
            next_attempt_at INTEGER,
            deadline_at INTEGER NOT NULL,
            progressed_at INTEGER NOT NULL,
            paused_at INTEGER,

            CHECK ((state = 'running') = (phase IS NOT NULL)),
            CHECK ((state = 'waiting') = (waiting_for IS NOT NULL)),
            CHECK (\(oneOf("state", "completed", "failed", "cancelled")) = (finished_at IS NOT NULL)),
            CHECK ((state = 'paused') = (paused_at IS NOT NULL)),
            CHECK (state <> 'failed' OR error_code IS NOT NULL),
            CHECK (phase IS NOT 'publishing' OR file_path IS NOT NULL),
            CHECK (state <> 'completed' OR file_path IS NOT NULL),
            CHECK (state <> 'completed' OR kept_path IS NULL),
            CHECK (file_moving_to IS NULL OR file_path IS NOT NULL),
            CHECK (total_bytes IS NULL OR durable_bytes <= total_bytes)
        ) STRICT;
        """

    /// The transitions of `DownloadStateMachine`. A test compares the two for every pair of states.
    static let downloadTriggers = """
        CREATE TRIGGER download_begins BEFORE INSERT ON download
        WHEN NEW.state NOT IN ('queued', 'paused') AND NEW.waiting_for IS NOT 'schedule'
        BEGIN SELECT RAISE(ABORT, 'a download begins queued, paused or waiting for its time'); END;

        CREATE TRIGGER download_moves BEFORE UPDATE OF state ON download
        WHEN NEW.state <> OLD.state AND NOT (
            \(moves(from: "queued", to: "running", "waiting", "paused", "cancelled", "failed"))
            OR \(moves(from: "running", to: "queued", "waiting", "paused", "completed", "failed", "cancelled"))
            OR \(moves(from: "waiting", to: "queued", "paused", "cancelled", "failed"))
            OR \(moves(from: "paused", to: "queued", "waiting", "cancelled"))
            OR \(moves(from: "completed", to: "queued", "waiting"))
            OR \(moves(from: "failed", to: "queued", "waiting"))
            OR \(moves(from: "cancelled", to: "queued", "waiting")))
        BEGIN SELECT RAISE(ABORT, 'an illegal transition'); END;

        CREATE TRIGGER download_publishing_is_final BEFORE UPDATE OF state ON download
        WHEN OLD.phase = 'publishing' AND NEW.state IN ('paused', 'cancelled')
        BEGIN SELECT RAISE(ABORT, 'a publishing download is past pause and cancel'); END;

        CREATE TRIGGER download_completes BEFORE UPDATE OF state ON download
        WHEN NEW.state = 'completed' AND OLD.state <> 'completed' AND OLD.phase IS NOT 'publishing'
        BEGIN SELECT RAISE(ABORT, 'a download completes out of publishing alone'); END;
        """

    static let segment = """
        CREATE TABLE segment (
            download TEXT NOT NULL REFERENCES download (id) ON DELETE CASCADE,
            generation INTEGER NOT NULL,
            idx INTEGER NOT NULL,
            start_byte INTEGER NOT NULL CHECK (start_byte >= 0),
            end_byte INTEGER,
            durable_end INTEGER NOT NULL,
            PRIMARY KEY (download, generation, idx),
            CHECK (durable_end >= start_byte),
            CHECK (end_byte IS NULL OR durable_end <= end_byte)
        ) STRICT, WITHOUT ROWID;
        """

    /// The digests of the blocks of the part file: 64 bits each, stored as signed integers.
    static let block = """
        CREATE TABLE block (
            download TEXT NOT NULL REFERENCES download (id) ON DELETE CASCADE,
            generation INTEGER NOT NULL,
            start_byte INTEGER NOT NULL CHECK (start_byte >= 0),
            end_byte INTEGER NOT NULL,
            digest INTEGER NOT NULL,
            PRIMARY KEY (download, generation, start_byte),
            CHECK (end_byte > start_byte)
        ) STRICT, WITHOUT ROWID;
        """

    /// The request log of a download. It keeps the newest requests.
    static let request = """
        CREATE TABLE request (
            download TEXT NOT NULL REFERENCES download (id) ON DELETE CASCADE,
            number INTEGER NOT NULL CHECK (number > 0),
            run INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            at INTEGER NOT NULL,
            method TEXT NOT NULL CHECK (method IN ('GET', 'POST')),
            url TEXT NOT NULL,
            redirects INTEGER NOT NULL,
            first_byte INTEGER,
            last_byte INTEGER,
            http_status INTEGER,
            http_version TEXT,
            etag TEXT,
            last_modified TEXT,
            content_range TEXT,
            content_length INTEGER,
            remote_address TEXT,
            decision TEXT,
            reason TEXT,
            received_bytes INTEGER,
            duration_ms INTEGER,
            error TEXT,
            transport_code INTEGER,
            PRIMARY KEY (download, number),
            CHECK ((received_bytes IS NULL) = (duration_ms IS NULL))
        ) STRICT, WITHOUT ROWID;
        """

    /// Events outlive their download, so they have no foreign key to it.
    ///
    /// A query by type or session scans this covering index in the order of the numbers: fifty bytes per event instead
    /// of the table's two thousand. An index for each of the two would avoid the scan, but double the cost of writing
    /// an event: this index grows only at its end.
    static let event = """
        CREATE TABLE event (
            seq INTEGER PRIMARY KEY,
            id TEXT NOT NULL,
            type TEXT NOT NULL,
            at INTEGER NOT NULL,
            download TEXT,
            run INTEGER,
            session TEXT,
            session_epoch INTEGER,
            terminal INTEGER NOT NULL CHECK (terminal IN (0, 1)),
            body BLOB NOT NULL,
            CHECK (terminal = \(oneOf("type", "download.completed", "download.failed", "download.cancelled")))
        ) STRICT;
        CREATE UNIQUE INDEX event_one_end_of_a_run ON event (download, run) WHERE terminal = 1;
        CREATE UNIQUE INDEX event_one_finish_of_an_epoch ON event (session, session_epoch)
            WHERE type = 'session.finished';
        CREATE INDEX event_outline ON event (seq, type, session);
        CREATE INDEX event_of_download ON event (download) WHERE download IS NOT NULL;
        """

    static let idempotency = """
        CREATE TABLE idempotency (
            scope TEXT NOT NULL,
            key TEXT NOT NULL,
            fingerprint BLOB NOT NULL,
            http_status INTEGER NOT NULL,
            location TEXT,
            etag TEXT,
            body BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (scope, key)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX idempotency_age ON idempotency (created_at);
        """

    static func oneOf(_ column: String, _ values: String...) -> String { Schema.oneOf(column, values) }

    private static func moves(from state: String, to others: String...) -> String {
        "OLD.state = '\(state)' AND \(Schema.oneOf("NEW.state", others))"
    }
}
