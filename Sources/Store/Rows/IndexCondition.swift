/// Conditions and values that an index has too. SQLite uses such an index only for a query that repeats them exactly.
enum IndexCondition {
    /// A completed download has a file of its own whose time is not over. A file that was there before the download
    /// belongs to another one, or to nobody.
    static let hasFile = """
        state = 'completed' AND file_is_missing = 0 AND file_is_skipped = 0 AND file_expired_at IS NULL
        """

    /// A completed download has a choice of its own by which the file is removed.
    static let hasExpiry = "\(hasFile) AND (expires_at IS NOT NULL OR keep_file_seconds >= 0)"

    /// The instant from which the file of such a download is removed; 0 means at once.
    static let expiry = """
        CASE WHEN keep_file_seconds = 0 THEN 0 ELSE coalesce(expires_at, finished_at + keep_file_seconds * 1000) END
        """

    /// The setting decides about the file.
    static let hasDefaultExpiry = "\(hasFile) AND expires_at IS NULL AND keep_file_seconds IS NULL"

    /// The time of the file is over, and it is still to be removed.
    static let isExpiring = "state = 'completed' AND file_expired_at IS NOT NULL AND file_is_missing = 0"

    /// The file was removed because its time was over.
    static let isExpired = "state = 'completed' AND file_expired_at IS NOT NULL AND file_is_missing = 1"

    /// A session has no open download, and no settings for later downloads.
    static let sessionIsIdle = """
        open_count = 0 AND (sealed_at IS NOT NULL OR rate_bytes_per_second IS NULL AND max_concurrent IS NULL
            AND max_bytes IS NULL AND description IS NULL AND labels IS NULL AND callback_url IS NULL
            AND webhook_ids IS NULL AND expires_at IS NULL AND keep_file_seconds IS NULL)
        """

    static let sessionIdleSince = "{greatest}(coalesce(finished_at, created_at), coalesce(sealed_at, 0))"
}
