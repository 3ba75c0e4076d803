import GRDB

/// The numbered migrations from an empty file to the schema of this version. A migration is never edited. The first
/// four are those of SQLite alone; each of ``Schema/changes`` is one more.
enum Migrations {
    /// The schema after each migration. A test compares them with the migrations.
    static let versions =
        [
            SchemaVersion(migration: "1", digest: 0x70c9_11cc_6cee_8539),
            SchemaVersion(migration: "2", digest: 0x2736_ca6a_ddc6_d2b7),
            SchemaVersion(migration: "3", digest: 0x7fb4_818e_6528_cbc3),
            SchemaVersion(migration: "4", digest: 0xde88_fa26_054f_974d),
        ] + Schema.changes.map { SchemaVersion(migration: $0.version, digest: $0.digest) }

    /// Brings a file to the schema of this version.
    ///
    /// - Throws: ``StoreError/unknownSchema(found:known:)`` before anything is written, if no version of the program up
    ///   to this one has made the file.
    static func run(on queue: DatabaseQueue) throws {
        try queue.read(check)
        try migrator.migrate(queue)
    }

    /// - Throws: ``StoreError/unknownSchema(found:known:)``.
    static func check(_ database: GRDB.Database) throws {
        guard let found = try SchemaVersion(of: database, migrator), !versions.contains(found) else { return }
        throw StoreError.unknownSchema(found: "\(found)", known: versions.last.map { "\($0)" } ?? "none")
    }

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1", migrate: createFirstSchema)
        migrator.registerMigration("2", migrate: renameColumns)
        migrator.registerMigration("3", migrate: countEndedDownloads)
        migrator.registerMigration("4", migrate: nameOwnersOfWork)
        for change in Schema.changes {
            migrator.registerMigration(change.version) { database in
                try database.execute(sql: Dialect.sqlite.translate(change.statements))
            }
        }
        return migrator
    }

    /// Gives columns the names that the code and the API use. SQLite renames them in indexes and triggers too.
    private static func renameColumns(_ database: GRDB.Database) throws {
        for (table, old, new) in [
            ("download", "owner", "node"), ("download", "not_before", "not_before_at"),
            ("download", "suspect_answers", "suspect_responses"), ("download", "new_links", "url_refreshes"),
            ("download", "former_total_bytes", "previous_total_bytes"), ("download", "former_etag", "previous_etag"),
            ("download", "former_last_modified", "previous_last_modified"),
            ("download", "former_content_type", "previous_content_type"),
            ("download", "error_transport_code", "error_curl_code"), ("request", "transport_code", "curl_code"),
            ("host", "held_until", "held_until_at"), ("host", "refuses_ranges_until", "refuses_ranges_until_at"),
            ("service", "stopped_owner", "stopped_node"), ("webhook", "origin", "created_by"),
        ] {
            try database.execute(sql: "ALTER TABLE \(table) RENAME COLUMN \(old) TO \(new)")
        }
    }

    /// Counts all ended downloads of a session's epoch, rather than only the deleted ones, so that the end of a session
    /// reads no row of a download. A session is read with its webhooks, so they need no index.
    private static func countEndedDownloads(_ database: GRDB.Database) throws {
        for count in ["completed", "failed", "cancelled", "bytes"] {
            try database.execute(sql: "ALTER TABLE session RENAME COLUMN gone_\(count) TO ended_\(count)")
        }
        try database.execute(
            sql: """
                UPDATE session SET
                    ended_completed = ended_completed + e.completed, ended_failed = ended_failed + e.failed,
                    ended_cancelled = ended_cancelled + e.cancelled, ended_bytes = ended_bytes + e.bytes
                FROM (
                    SELECT session, session_epoch, sum(state = 'completed') AS completed,
                        sum(state = 'failed') AS failed, sum(state = 'cancelled') AS cancelled,
                        sum(durable_bytes) AS bytes
                    FROM download WHERE session IS NOT NULL AND state IN ('completed', 'failed', 'cancelled')
                    GROUP BY session, session_epoch) AS e
                WHERE e.session = session.name AND e.session_epoch = session.session_epoch;
                DROP INDEX session_naming;
                """
        )
    }

    /// Records the processes, and which of them sends a delivery (docs/decisions/0063); what is to be removed from
    /// a disk; and when a webhook with a rate limit has received. The queue is ordered by a column without NULL.
    private static func nameOwnersOfWork(_ database: GRDB.Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE node (
                    id TEXT NOT NULL PRIMARY KEY,
                    started_at INTEGER NOT NULL,
                    left_at INTEGER
                ) STRICT, WITHOUT ROWID;
                INSERT INTO node (id, started_at, left_at)
                    SELECT stopped_node, 0, 0 FROM service WHERE stopped_node IS NOT NULL;
                ALTER TABLE service DROP COLUMN stopped_node;
                ALTER TABLE delivery ADD COLUMN node TEXT CHECK (node IS NULL OR state = 'delivering');
                ALTER TABLE webhook_record ADD COLUMN theoretical_arrival_us INTEGER;

                CREATE TABLE storage_task (
                    row INTEGER PRIMARY KEY,
                    kind TEXT NOT NULL CHECK (kind = 'part' OR kind = 'file'),
                    download TEXT NOT NULL,
                    generation INTEGER,
                    root TEXT NOT NULL,
                    path TEXT,
                    size_bytes INTEGER,
                    digests TEXT,
                    device INTEGER,
                    inode INTEGER,
                    modified INTEGER,
                    placed_at INTEGER,
                    due_at INTEGER NOT NULL,
                    CHECK ((kind = 'part') = (generation IS NOT NULL)),
                    CHECK ((kind = 'file') = (path IS NOT NULL))
                ) STRICT;
                CREATE INDEX storage_task_due ON storage_task (due_at);

                ALTER TABLE download ADD COLUMN lane TEXT NOT NULL
                    GENERATED ALWAYS AS (coalesce(session, '')) VIRTUAL;
                DROP INDEX download_queue;
                CREATE INDEX download_queue ON download (priority DESC, lane, queued_at, id, authority, state)
                    WHERE state = 'queued';
                DROP INDEX download_queue_by_host;
                CREATE INDEX download_queue_by_host ON download (priority, lane, authority, queued_at, id, state)
                    WHERE state = 'queued';
                """
        )
    }

    private static func createFirstSchema(_ database: GRDB.Database) throws {
        for statement in [
            FirstSchema.service, FirstSchema.session, FirstSchema.host, FirstSchema.rateLimits, FirstSchema.download,
            FirstSchema.downloadIndexes, FirstSchema.retentionIndexes, FirstSchema.downloadTriggers,
            FirstSchema.downloadTotals,
            FirstSchema.downloadLabel, FirstSchema.segment, FirstSchema.block, FirstSchema.request,
            FirstSchema.event, FirstSchema.webhook, FirstSchema.delivery, FirstSchema.idempotency,
            FirstSchema.operation,
        ] {
            try database.execute(sql: statement)
        }
    }
}
