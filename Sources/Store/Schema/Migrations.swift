import GRDB

/// The numbered steps from an empty file to the schema of this version. A step that was released is never edited.
enum Migrations {
    static func run(on queue: DatabaseQueue) throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1", migrate: createFirstSchema)
        guard try !queue.read(migrator.hasBeenSuperseded) else { throw StoreError.newerSchema }
        try migrator.migrate(queue)
    }

    private static func createFirstSchema(_ database: Database) throws {
        for statement in [
            FirstSchema.service, FirstSchema.session, FirstSchema.host, FirstSchema.rateLimits, FirstSchema.download,
            FirstSchema.downloadIndexes, FirstSchema.downloadTriggers, FirstSchema.segment, FirstSchema.block,
            FirstSchema.request,
            FirstSchema.event, FirstSchema.webhook, FirstSchema.delivery, FirstSchema.idempotency,
        ] {
            try database.execute(sql: statement)
        }
    }
}
