/// The tables of events and of answers to repeated requests.
extension Schema {
    /// Events outlive their download, so they have no foreign key to it.
    ///
    /// A query by type or session scans the covering index `event_outline` in the order of the numbers: fifty bytes per
    /// event instead of the table's two thousand. An index for each of the two would avoid the scan, but double the
    /// cost of writing an event: this index grows only at its end.
    static let event = """
        CREATE TABLE event (
            seq {integer} PRIMARY KEY,
            id {text} NOT NULL,
            type {text} NOT NULL,
            at {integer} NOT NULL,
            download {text},
            run {integer},
            session {text},
            session_epoch {integer},
            terminal {flag} NOT NULL CHECK (terminal IN (0, 1)),
            body {blob} NOT NULL,
            CHECK (terminal = {number}\(oneOf("type", "download.completed", "download.failed", "download.cancelled")))
        ) {by row};
        CREATE UNIQUE INDEX event_one_end_of_a_run ON event (download, run) WHERE terminal = 1;
        CREATE UNIQUE INDEX event_one_finish_of_an_epoch ON event (session, session_epoch)
            WHERE type = 'session.finished';
        CREATE INDEX event_outline ON event (seq, type, session);
        CREATE INDEX event_of_download ON event (download) WHERE download IS NOT NULL;
        """

    /// The answers to requests with an `Idempotency-Key`.
    static let idempotency = """
        CREATE TABLE idempotency (
            scope {text} NOT NULL,
            key {text} NOT NULL,
            fingerprint {blob} NOT NULL,
            http_status {integer} NOT NULL,
            location {text},
            etag {text},
            body {blob} NOT NULL,
            created_at {integer} NOT NULL,
            PRIMARY KEY (scope, key)
        ) {by key};
        CREATE INDEX idempotency_age ON idempotency (created_at);
        """
}
