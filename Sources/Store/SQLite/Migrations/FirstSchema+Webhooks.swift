/// The tables of webhooks and deliveries.
extension FirstSchema {
    /// A deleted webhook stays as a disabled row until its deliveries are purged.
    static let webhook = """
        CREATE TABLE webhook (
            id TEXT NOT NULL PRIMARY KEY,
            origin TEXT NOT NULL CHECK \(oneOf("origin", "settings", "api", "callback")),
            url TEXT NOT NULL,
            description TEXT,
            event_types TEXT,
            session_filter TEXT,
            labels_filter TEXT,
            payload TEXT NOT NULL CHECK \(oneOf("payload", "snapshot", "thin")),
            format TEXT NOT NULL CHECK \(oneOf("format", "standard", "cloudevents")),
            ordering TEXT NOT NULL CHECK \(oneOf("ordering", "none", "session")),
            rate_limit_per_second INTEGER CHECK (rate_limit_per_second > 0),
            headers BLOB,
            header_names TEXT,
            verification TEXT NOT NULL CHECK \(oneOf("verification", "none", "cloudevents")),
            secret BLOB,
            secret_fingerprint TEXT,
            previous_secret BLOB,
            previous_secret_expires_at INTEGER,
            enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
            disabled_reason TEXT,
            disabled_at INTEGER,
            deleted_at INTEGER,
            revision INTEGER NOT NULL CHECK (revision > 0),
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            CHECK (enabled = (disabled_reason IS NULL)),
            CHECK (enabled = (disabled_at IS NULL)),
            CHECK (deleted_at IS NULL OR enabled = 0),
            CHECK ((secret IS NULL) = (secret_fingerprint IS NULL)),
            CHECK ((previous_secret IS NULL) = (previous_secret_expires_at IS NULL))
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX webhook_of_settings ON webhook (origin) WHERE origin = 'settings';
        CREATE UNIQUE INDEX webhook_of_callback ON webhook (url) WHERE origin = 'callback';
        CREATE INDEX webhook_chosen ON webhook (id) WHERE origin <> 'callback' AND deleted_at IS NULL;
        CREATE INDEX webhook_rotated ON webhook (previous_secret_expires_at)
            WHERE previous_secret_expires_at IS NOT NULL;
        CREATE INDEX webhook_deleted ON webhook (deleted_at) WHERE deleted_at IS NOT NULL;

        -- At `backlog_before` a receiver that was gone was there again: what was tried last before is due.
        CREATE TABLE webhook_record (
            webhook TEXT NOT NULL PRIMARY KEY REFERENCES webhook (id) ON DELETE CASCADE,
            succeeded INTEGER NOT NULL DEFAULT 0,
            failed INTEGER NOT NULL DEFAULT 0,
            last_success_at INTEGER,
            last_failure_at INTEGER,
            consecutive_failures INTEGER NOT NULL DEFAULT 0,
            window_began_at INTEGER,
            window_failures INTEGER NOT NULL DEFAULT 0,
            failing_since INTEGER,
            backlog_before INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX webhook_backlog ON webhook_record (backlog_before) WHERE backlog_before IS NOT NULL;
        """

    /// If a webhook gets the deliveries of a session in order, the first one that has not ended is the `head`. Those
    /// behind it are not due until it has ended, or has blocked them long enough. Every index starts with the webhook,
    /// so that the backlog of one webhook does not slow down the others.
    ///
    /// If a delivery is due early because its receiver has recovered, `planned_at` keeps the scheduled instant.
    static let delivery = """
        CREATE TABLE delivery (
            id TEXT NOT NULL PRIMARY KEY,
            event INTEGER NOT NULL REFERENCES event (seq),
            webhook TEXT NOT NULL REFERENCES webhook (id),
            state TEXT NOT NULL CHECK
                \(oneOf("state", "pending", "delivering", "succeeded", "failed", "aborted", "disabled")),
            attempts INTEGER NOT NULL DEFAULT 0,
            schedule_from INTEGER NOT NULL DEFAULT 0,
            next_attempt_at INTEGER,
            planned_at INTEGER,
            finished_at INTEGER,
            session TEXT,
            place TEXT CHECK \(oneOf("place", "head", "behind")),
            blocks_until INTEGER,
            CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL)),
            CHECK ((state IN ('pending', 'delivering')) = (finished_at IS NULL)),
            CHECK ((session IS NULL) = (place IS NULL)),
            CHECK (place IS NULL OR finished_at IS NULL),
            CHECK (place IS NOT 'behind' OR state = 'pending'),
            CHECK (blocks_until IS NULL OR place = 'head')
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX delivery_due ON delivery (webhook, next_attempt_at, id)
            WHERE state = 'pending' AND place IS NOT 'behind';
        CREATE INDEX delivery_of_webhook ON delivery (webhook, state, id);
        CREATE INDEX delivery_of_event ON delivery (event);
        CREATE UNIQUE INDEX delivery_head ON delivery (webhook, session) WHERE place = 'head';
        CREATE INDEX delivery_behind ON delivery (webhook, session, event) WHERE place = 'behind';
        CREATE INDEX delivery_blocking ON delivery (blocks_until) WHERE blocks_until IS NOT NULL;

        CREATE TABLE delivery_body (
            delivery TEXT NOT NULL PRIMARY KEY REFERENCES delivery (id) ON DELETE CASCADE,
            format TEXT NOT NULL CHECK \(oneOf("format", "standard", "cloudevents")),
            body BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE delivery_attempt (
            delivery TEXT NOT NULL REFERENCES delivery (id) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            at INTEGER NOT NULL,
            request_fields TEXT,
            duration_ms INTEGER NOT NULL,
            http_status INTEGER,
            error TEXT,
            response_excerpt BLOB,
            remote_address TEXT,
            next_attempt_at INTEGER,
            PRIMARY KEY (delivery, number)
        ) STRICT, WITHOUT ROWID;
        """
}
