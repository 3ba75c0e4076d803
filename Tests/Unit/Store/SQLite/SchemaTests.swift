import GRDB
import Testing

@testable import Store

/// The schema that another database starts from is the one that SQLite comes to by its migrations.
@Suite struct SchemaTests {
    @Test func theDeclaredSchemaIsThatOfTheMigrations() throws {
        let (declared, migrated) = try (Self.declared(), Self.migrated())

        #expect(declared.lines.subtracting(migrated.lines) == [])
        #expect(migrated.lines.subtracting(declared.lines) == [])
    }

    /// Without this the comparison above could overlook a kind of difference.
    @Test(
        arguments: [
            ("content_encoding {text},", ""), ("host {text} NOT NULL", "host {text}"), ("etag {text}", "etag {blob}"),
            ("DEFAULT 1", "DEFAULT 2"), ("id {text} NOT NULL UNIQUE", "id {text} NOT NULL"),
            ("REFERENCES session (name)", ""), (" ON DELETE CASCADE", ""), ("CHECK (port BETWEEN 1 AND 65535)", ""),
            ("CHECK (max_attempts > 0)", "CHECK (max_attempts >= 0)"), ("(priority, id)", "(id, priority)"),
            ("WHERE phase = 'publishing'", ""), ("CREATE UNIQUE INDEX download_dedupe", "CREATE INDEX download_dedupe"),
            ("coalesce(session, '')", "coalesce(session, 'none')"),
            ("PRIMARY KEY (download, number)", "PRIMARY KEY (number)"),
            ("{by key}", "{by row}"), ("INSERT INTO download_totals (id) VALUES (1)", ""),
            ("CREATE INDEX event_of_download ON event (download) WHERE download IS NOT NULL;", ""),
        ]
    )
    func aDifferenceIsSeen(_ text: String, _ replacement: String) throws {
        #expect(try Self.declared { $0.replacing(text, with: replacement) } != Self.migrated())
    }

    @Test func theTriggersAreTheNamedOnes() throws {
        let triggers = try Self.migrated { try String.fetchAll($0, sql: Self.triggerNames) }

        #expect(Set(triggers) == Schema.triggers)
    }

    private static let triggerNames = "SELECT name FROM sqlite_master WHERE type = 'trigger'"

    /// The triggers are those of the migrations, since their language is each database's own.
    private static func declared(_ change: (String) -> String = { $0 }) throws -> SchemaOutline {
        let triggers = try migrated {
            try String.fetchAll($0, sql: "SELECT sql FROM sqlite_master WHERE type = 'trigger'")
        }
        return try DatabaseQueue().write { database in
            for statement in Schema.statements.map(change) {
                try database.execute(sql: Dialect.sqlite.translate(statement))
            }
            for trigger in triggers { try database.execute(sql: trigger) }
            return try SchemaOutline(of: database)
        }
    }

    private static func migrated() throws -> SchemaOutline { try migrated(SchemaOutline.init) }

    private static func migrated<Value>(_ read: (GRDB.Database) throws -> Value) throws -> Value {
        let queue = try DatabaseQueue()
        try Migrations.run(on: queue)
        return try queue.read(read)
    }
}
