/// The tables of webhooks and deliveries.
extension Schema {
    /// A deleted webhook stays as a disabled row until its deliveries are purged.
    static let webhook = """
        CREATE TABLE webhook (
            id {text} NOT NULL PRIMARY KEY,
            created_by {text} NOT NULL CHECK \(oneOf("created_by", "settings", "api", "callback")),
            url {text} NOT NULL,
            description {text},
            event_types {text},
            session_filter {text},
            labels_filter {text},
            payload {text} NOT NULL CHECK \(oneOf("payload", "snapshot", "thin")),
            format {text} NOT NULL CHECK \(oneOf("format", "standard", "cloudevents")),
            ordering {text} NOT NULL CHECK \(oneOf("ordering", "none", "session")),
            rate_limit_per_second {integer} CHECK (rate_limit_per_second > 0),
            headers {blob},
            header_names {text},
            verification {text} NOT NULL CHECK \(oneOf("verification", "none", "cloudevents")),
            secret {blob},
            secret_fingerprint {text},
            previous_secret {blob},
            previous_secret_expires_at {integer},
            enabled {flag} NOT NULL CHECK (enabled IN (0, 1)),
            disabled_reason {text},
            disabled_at {integer},
            deleted_at {integer},
            revision {integer} NOT NULL CHECK (revision > 0),
            created_at {integer} NOT NULL,
            updated_at {integer} NOT NULL,
            CHECK (enabled = {number}(disabled_reason IS NULL)),
            CHECK (enabled = {number}(disabled_at IS NULL)),
            CHECK (deleted_at IS NULL OR enabled = 0),
            CHECK ((secret IS NULL) = (secret_fingerprint IS NULL)),
            CHECK ((previous_secret IS NULL) = (previous_secret_expires_at IS NULL))
        ) {by key};
        CREATE UNIQUE INDEX webhook_of_settings ON webhook (created_by) WHERE created_by = 'settings';
        CREATE UNIQUE INDEX webhook_of_callback ON webhook (url) WHERE created_by = 'callback';
        CREATE INDEX webhook_chosen ON webhook (id) WHERE created_by <> 'callback' AND deleted_at IS NULL;
        CREATE INDEX webhook_rotated ON webhook (previous_secret_expires_at)
            WHERE previous_secret_expires_at IS NOT NULL;
        CREATE INDEX webhook_deleted ON webhook (deleted_at) WHERE deleted_at IS NOT NULL;
        """

    /// At `backlog_before` a receiver that was gone was there again: what was tried last before is due.
    static let webhookRecord = """
        CREATE TABLE webhook_record (
            webhook {text} NOT NULL PRIMARY KEY REFERENCES webhook (id) ON DELETE CASCADE,
            succeeded {integer} NOT NULL DEFAULT 0,
            failed {integer} NOT NULL DEFAULT 0,
            last_success_at {integer},
            last_failure_at {integer},
            consecutive_failures {integer} NOT NULL DEFAULT 0,
            window_began_at {integer},
            window_failures {integer} NOT NULL DEFAULT 0,
            failing_since {integer},
            backlog_before {integer},
            theoretical_arrival_us {integer}
        ) {by key};
        CREATE INDEX webhook_backlog ON webhook_record (backlog_before) WHERE backlog_before IS NOT NULL;
        """

    /// If a webhook gets the deliveries of a session in order, the first one that has not ended is the `head`. Those
    /// behind it are not due until it has ended, or has blocked them long enough. Every index starts with the webhook,
    /// so that the backlog of one webhook does not slow down the others.
    ///
    /// If a delivery is due early because its receiver has recovered, `planned_at` keeps the scheduled instant.
    static let delivery = """
        CREATE TABLE delivery (
            id {text} NOT NULL PRIMARY KEY,
            event {integer} NOT NULL REFERENCES event (seq),
            webhook {text} NOT NULL REFERENCES webhook (id),
            state {text} NOT NULL CHECK
                \(oneOf("state", "pending", "delivering", "succeeded", "failed", "aborted", "disabled")),
            attempts {integer} NOT NULL DEFAULT 0,
            schedule_from {integer} NOT NULL DEFAULT 0,
            next_attempt_at {integer},
            planned_at {integer},
            finished_at {integer},
            session {text},
            place {text} CHECK \(oneOf("place", "head", "behind")),
            blocks_until {integer},
            node {text} CHECK (node IS NULL OR state = 'delivering'),
            CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL)),
            CHECK ((state IN ('pending', 'delivering')) = (finished_at IS NULL)),
            CHECK ((session IS NULL) = (place IS NULL)),
            CHECK (place IS NULL OR finished_at IS NULL),
            CHECK (place {is not} 'behind' OR state = 'pending'),
            CHECK (blocks_until IS NULL OR place = 'head')
        ) {by key};
        CREATE INDEX delivery_due ON delivery (webhook, next_attempt_at, id)
            WHERE state = 'pending' AND place {is not} 'behind';
        CREATE INDEX delivery_of_webhook ON delivery (webhook, state, id);
        CREATE INDEX delivery_of_event ON delivery (event);
        CREATE UNIQUE INDEX delivery_head ON delivery (webhook, session) WHERE place = 'head';
        CREATE INDEX delivery_behind ON delivery (webhook, session, event) WHERE place = 'behind';
        CREATE INDEX delivery_blocking ON delivery (blocks_until) WHERE blocks_until IS NOT NULL;
        """

    /// The body of a delivery, as it is signed and sent.
    static let deliveryBody = """
        CREATE TABLE delivery_body (
            delivery {text} NOT NULL PRIMARY KEY REFERENCES delivery (id) ON DELETE CASCADE,
            format {text} NOT NULL CHECK \(oneOf("format", "standard", "cloudevents")),
            body {blob} NOT NULL
        ) {by key};
        """

    /// The log of the attempts of a delivery.
    static let deliveryAttempt = """
        CREATE TABLE delivery_attempt (
            delivery {text} NOT NULL REFERENCES delivery (id) ON DELETE CASCADE,
            number {integer} NOT NULL,
            at {integer} NOT NULL,
            request_fields {text},
            duration_ms {integer} NOT NULL,
            http_status {integer},
            error {text},
            response_excerpt {blob},
            remote_address {text},
            next_attempt_at {integer},
            PRIMARY KEY (delivery, number)
        ) {by key};
        """
}
