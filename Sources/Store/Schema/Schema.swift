/// The tables, indexes and triggers of this version, in texts that every database can read (``Dialect``).
///
/// A new database starts from ``tables``, the schema of version 4, and then takes ``changes``. SQLite comes to version
/// 4 by its own migrations, and a test compares the two.
///
/// Every invariant is also a CHECK, a unique index or a trigger, so that no code path can write a row that the rules
/// forbid.
enum Schema {
    /// All statements, in their order.
    static var statements: [String] { tables + changes.map(\.statements) }

    /// The tables and indexes, in an order in which each finds the tables that it refers to.
    private static let tables = [
        service, node, session, host, rateLimits, rateWindow, download, downloadIndexes, downloadTotals, downloadLabel,
        segment, block, request, event, idempotency, webhook, webhookRecord, delivery, deliveryBody, deliveryAttempt,
        operation, operationFailure, storageTask,
    ]

    /// The triggers, whose language is each database's own.
    ///
    /// | Trigger | Meaning |
    /// | --- | --- |
    /// | `download_begins` | a new download is queued, paused or waits for its time |
    /// | `download_moves` | a download changes its state as `DownloadStateMachine` allows |
    /// | `download_publishing_is_final` | a publishing download is neither paused nor cancelled |
    /// | `download_completes` | a download completes after publishing only |
    /// | `download_row_is_free` | after the newest row is deleted, later rows stay above the fences of operations |
    static let triggers: Set = [
        "download_begins", "download_moves", "download_publishing_is_final", "download_completes",
        "download_row_is_free",
    ]

    /// Totals that every write of a download updates. They have no CHECK: a wrong total must not refuse a write.
    static let totals = """
        queued_count {integer} NOT NULL DEFAULT 0,
            running_count {integer} NOT NULL DEFAULT 0,
            waiting_count {integer} NOT NULL DEFAULT 0,
            paused_count {integer} NOT NULL DEFAULT 0,
            completed_count {integer} NOT NULL DEFAULT 0,
            failed_count {integer} NOT NULL DEFAULT 0,
            cancelled_count {integer} NOT NULL DEFAULT 0,
            received_bytes {integer} NOT NULL DEFAULT 0,
            total_bytes {integer} NOT NULL DEFAULT 0
        """

    /// How long a finished file is kept (docs/decisions/0048). At most one of them is set; -1 seconds means forever.
    static let retention = """
        expires_at {integer},
            keep_file_seconds {integer}
                CHECK (keep_file_seconds >= -1 AND (keep_file_seconds IS NULL OR expires_at IS NULL))
        """

    /// An SQL condition: the column has one of the values. For a list after `IN`, SQLite fills a temporary table each
    /// time a row is checked, which takes longer than writing the row.
    static func oneOf(_ column: String, _ values: String...) -> String { oneOf(column, values) }

    static func oneOf(_ column: String, _ values: [String]) -> String {
        "(\(values.map { "\(column) = '\($0)'" }.joined(separator: " OR ")))"
    }
}
