/// How long finished files are kept (docs/decisions/0048).
extension FirstSchema {
    /// At most one of them is set; -1 seconds means forever.
    static let retention = """
        expires_at INTEGER,
            keep_file_seconds INTEGER
                CHECK (keep_file_seconds >= -1 AND (keep_file_seconds IS NULL OR expires_at IS NULL))
        """

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

    static let retentionIndexes = """
        CREATE INDEX download_expiry ON download (\(expiry)) WHERE \(hasExpiry);
        CREATE INDEX download_default_expiry ON download (finished_at) WHERE \(hasDefaultExpiry);
        CREATE INDEX download_expiring ON download (file_expired_at) WHERE \(isExpiring);
        CREATE INDEX download_expired ON download (finished_at) WHERE \(isExpired);
        """
}
