/// A change of the schema, in statements that every database can read: a migration of a database that has rows, and a
/// part of the schema of a new one.
struct SchemaChange {
    /// The version of the schema after it.
    let version: String
    /// The digest of SQLite's schema after it (``SchemaVersion``).
    let digest: UInt64
    let statements: String
}

extension Schema {
    /// The changes since version 4, in their order. A change that was released is never edited.
    static let changes = [
        // Only the failures of an epoch are looked up, so other changes of a download write one index less. A file to
        // be removed needs no instant.
        SchemaChange(
            version: "5",
            digest: 0xb65e_d4f4_446e_93b7,
            statements: """
                DROP INDEX download_by_epoch;
                CREATE INDEX download_failed_by_epoch ON download (session, session_epoch)
                    WHERE session IS NOT NULL AND state = 'failed';
                ALTER TABLE storage_task DROP COLUMN placed_at;
                """
        )
    ]
}
