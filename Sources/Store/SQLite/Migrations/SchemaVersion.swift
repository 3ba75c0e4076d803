import Core
import GRDB

/// The schema of a database file: the last migration that made it, and a digest of its tables, indexes and triggers.
///
/// The number alone does not tell whether this program can use the file: a development version may have had another
/// schema of the same number.
struct SchemaVersion: Hashable, CustomStringConvertible {
    /// The last migration.
    let migration: String
    /// The digest of the statements that SQLite has kept.
    let digest: UInt64

    /// Reads the version of a file; nil if no migration was applied.
    init?(of database: GRDB.Database, _ migrator: DatabaseMigrator) throws {
        let applied = try migrator.appliedIdentifiers(database)
        // A migration that this program does not know comes last.
        let foreign = applied.subtracting(migrator.migrations).sorted()
        guard let last = foreign.last ?? migrator.migrations.last(where: applied.contains) else { return nil }
        migration = last
        digest = try Self.digest(of: database)
    }

    init(migration: String, digest: UInt64) {
        self.migration = migration
        self.digest = digest
    }

    var description: String { "\(migration) (\(String(digest, radix: 16)))" }

    /// Tables of SQLite and of the migrations themselves are left out.
    private static func digest(of database: GRDB.Database) throws -> UInt64 {
        let statements = try String.fetchAll(
            database,
            sql: """
                SELECT type || ' ' || name || ' ' || sql FROM sqlite_master
                WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND tbl_name <> 'grdb_migrations'
                ORDER BY type, name
                """
        )
        var hash = XXH64()
        for statement in statements {
            let bytes = Array("\(statement);".utf8)
            // The array outlives the span.
            unsafe hash.update(bytes.span.bytes)
        }
        return hash.value
    }
}
