/// How long finished files are kept (docs/decisions/0048).
extension FirstSchema {
    /// At most one of them is set; -1 seconds means forever.
    static let retention = """
        expires_at INTEGER,
            keep_file_seconds INTEGER
                CHECK (keep_file_seconds >= -1 AND (keep_file_seconds IS NULL OR expires_at IS NULL))
        """

    static let retentionIndexes = """
        CREATE INDEX download_expiry ON download (\(IndexCondition.expiry)) WHERE \(IndexCondition.hasExpiry);
        CREATE INDEX download_default_expiry ON download (finished_at) WHERE \(IndexCondition.hasDefaultExpiry);
        CREATE INDEX download_expiring ON download (file_expired_at) WHERE \(IndexCondition.isExpiring);
        CREATE INDEX download_expired ON download (finished_at) WHERE \(IndexCondition.isExpired);
        """
}
