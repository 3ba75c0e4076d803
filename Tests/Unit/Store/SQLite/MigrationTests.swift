import Core
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Store

/// The schema of each migration is frozen: a data folder of any released version is opened by every later one.
@Suite struct MigrationTests {
    @Test func eachMigrationMakesTheSchemaThatItAlwaysMade() throws {
        let identifiers = Migrations.migrator.migrations

        #expect(Migrations.versions.map(\.migration) == identifiers)
        for version in Migrations.versions {
            let queue = try DatabaseQueue()
            try Migrations.migrator.migrate(queue, upTo: version.migration)
            #expect(try queue.read { try SchemaVersion(of: $0, Migrations.migrator) } == version)
        }
    }

    @Test(arguments: Migrations.versions.map(\.migration))
    func aDataFolderOfEachVersionIsOpened(_ migration: String) async throws {
        let folder = TemporaryFolder()
        let path = try Self.database(of: migration, in: folder)

        let store = try Fixture.open(path)
        let downloads = try await store.downloads(DownloadFilter(), before: nil, limit: 100)
        store.close()

        #expect(downloads.count == 3)
        #expect(try StoredData(path: path).faults().isEmpty)
    }

    /// The second migration renames columns.
    @Test func renamedColumnsKeepTheirValues() async throws {
        let folder = TemporaryFolder()
        let path = try Self.database(of: "1", in: folder)
        try await DatabaseQueue(path: path).write { database in
            try database.execute(
                sql: """
                    UPDATE download SET owner = 'node', not_before = 1, suspect_answers = 2, new_links = 3,
                        former_total_bytes = 4, former_etag = '"5"', former_last_modified = '6',
                        former_content_type = '7'
                    """
            )
            try database.execute(
                sql: "INSERT INTO host (authority, held_until, refuses_ranges_until) VALUES ('h', 8, 9)"
            )
        }

        let store = try Fixture.open(path)
        let download = try #require(try await store.downloads(DownloadFilter(), before: nil, limit: 1).first)
        store.close()

        #expect(download.node == "node" && download.request.notBefore == Timestamp(milliseconds: 1))
        #expect(download.attempts.suspectResponses == 2 && download.attempts.urlRefreshes == 3)
        let previous = try #require(download.source.previousFile)
        #expect(previous.totalBytes == 4 && previous.etag == "\"5\"")
        #expect(previous.lastModified == "6" && previous.contentType == "7")
        let host = try DatabaseQueue(path: path).read {
            try Row.fetchOne($0, sql: "SELECT held_until_at, refuses_ranges_until_at FROM host WHERE authority = 'h'")
        }
        #expect(host?["held_until_at"] == 8 && host?["refuses_ranges_until_at"] == 9)
    }

    /// The third migration counts the ended downloads of an epoch that is not over.
    @Test func theEndedDownloadsOfAnEpochAreCounted() async throws {
        let folder = TemporaryFolder()
        let path = try Self.database(of: "2", in: folder)
        try await DatabaseQueue(path: path).write { database in
            try database.execute(
                sql: """
                    UPDATE download SET state = 'failed', waiting_for = NULL, next_attempt_at = NULL, finished_at = 1,
                        session = 'second', session_epoch = 1, durable_bytes = 3 WHERE state = 'waiting';
                    UPDATE session SET open_count = 1, gone_failed = 4, gone_completed = 5, gone_bytes = 6
                        WHERE name = 'second';
                    """
            )
        }
        try Fixture.open(path).close()

        let ended = try await DatabaseQueue(path: path).read { database in
            try Row.fetchAll(
                database,
                sql: "SELECT ended_completed, ended_failed, ended_cancelled, ended_bytes FROM session ORDER BY name"
            ).map { row in (0..<4).map { row[$0] as Int } }
        }
        #expect(ended == [[0, 0, 0, 0], [5, 5, 0, 9]])
    }

    /// The path of a database that has the schema of a migration, and rows. They are those of a database that the first
    /// version had made: `sqlite3 cormorant.db .dump`.
    private static func database(of migration: String, in folder: TemporaryFolder) throws -> String {
        let tests = URL(filePath: #filePath).pathComponents.prefix { $0 != "Unit" }.joined(separator: "/")
        let dump = URL(filePath: "\(tests)/Fixtures/schema-1.sql")
        let path = "\(folder.path)/store.db"
        let queue = try DatabaseQueue(path: path)
        try queue.inDatabase { try $0.execute(sql: String(contentsOf: dump, encoding: .utf8)) }
        try Migrations.migrator.migrate(queue, upTo: migration)
        return path
    }
}
