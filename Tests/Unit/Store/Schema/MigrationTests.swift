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

    /// Each fixture is the statements and rows of a database that the version with this migration as its last had made:
    /// `sqlite3 cormorant.db .dump`.
    @Test(arguments: Migrations.versions.map(\.migration))
    func aDataFolderOfEachVersionIsOpened(_ migration: String) async throws {
        let folder = TemporaryFolder()
        let tests = URL(filePath: #filePath).pathComponents.prefix { $0 != "Unit" }.joined(separator: "/")
        let dump = URL(filePath: "\(tests)/Fixtures/schema-\(migration).sql")
        let path = "\(folder.path)/store.db"
        try DatabaseQueue(path: path).inDatabase { try $0.execute(sql: String(contentsOf: dump, encoding: .utf8)) }

        let store = try Fixture.open(path)
        let downloads = try await store.downloads(DownloadFilter(), before: nil, limit: 100)
        store.close()

        #expect(downloads.count == 3)
        #expect(try StoredData(path: path).faults().isEmpty)
    }
}
