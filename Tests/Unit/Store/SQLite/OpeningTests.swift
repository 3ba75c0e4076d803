import Core
import Foundation
import GRDB
import StoreSupport
import TestSupport
import Testing

@testable import Store

@Suite struct OpeningTests {
    let folder = TemporaryFolder()

    private func open(_ name: String = "store.db") throws -> Store {
        try Fixture.open("\(folder.path)/\(name)")
    }

    @Test func theWriterSyncsEveryCommit() async throws {
        let store = try open()
        let pragmas = try await store.writer.write { transaction in
            try ["journal_mode", "synchronous", "foreign_keys"].map {
                try transaction.database.first(String.self, "PRAGMA \($0)")
            }
        }

        #expect(pragmas == ["wal", "2", "1"])
        let other = try DatabaseQueue(path: "\(folder.path)/store.db")
        #expect(try await other.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
    }

    /// GRDB opens such a connection with NORMAL.
    @Test func aConnectionThatDoesNotSyncIsRefused() throws {
        var configuration = Configuration()
        configuration.journalMode = .wal
        let queue = try DatabaseQueue(path: "\(folder.path)/other.db", configuration: configuration)

        #expect(throws: StoreError.cannotOpen("PRAGMA synchronous is 1, not 2")) {
            try queue.inDatabase { try SQLiteConnection.expect($0, "synchronous", is: "2") }
        }
    }

    @Test func aDatabaseWithoutALogIsRefused() {
        #expect(throws: StoreError.self) { try Fixture.open(":memory:") }
    }

    @Test func aReaderWritesNothing() async throws {
        let store = try open()

        await #expect(throws: StoreError.self) {
            _ = try await store.readers.read { try $0.execute("DELETE FROM event") }
        }
    }

    @Test func afterACloseTheLogIsEmpty() async throws {
        let store = try open()
        _ = try await store.create(Fixture.new(DownloadRequest(url: Fixture.url())), now: Fixture.now)
        #expect(try #require(size("store.db-wal")) > 0)
        store.close()

        #expect(size("store.db-wal") == 0)
        let copy = "\(folder.path)/copy.db"
        try FileManager.default.copyItem(atPath: "\(folder.path)/store.db", toPath: copy)
        let other = try DatabaseQueue(path: copy)
        #expect(try await other.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM download") } == 1)
    }

    @Test func theLogIsEmptiedBetweenCommitsAndNothingIsLost() async throws {
        let store = try open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<40 {
                group.addTask {
                    if index.isMultiple(of: 8) { await store.truncateLog() }
                    _ = try await store.create(Fixture.new(DownloadRequest(url: Fixture.url())), now: Fixture.now)
                }
            }
            try await group.waitForAll()
        }
        await store.truncateLog()

        #expect(size("store.db-wal") == 0)
        #expect(try await store.downloads(DownloadFilter(), before: nil, limit: 100).count == 40)
    }

    private func size(_ name: String) -> Int? {
        try? FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(name)")[.size] as? Int
    }

    @Test(
        arguments: [
            // Of a newer version, and of a development version with another first schema.
            "INSERT INTO grdb_migrations VALUES ('99')", "ALTER TABLE host ADD COLUMN later INTEGER",
            "DROP INDEX session_idle", "CREATE TABLE other (id INTEGER)",
        ]
    )
    func aSchemaThatIsNotKnownIsLeftAlone(_ change: String) throws {
        try open().close()
        let other = try DatabaseQueue(path: "\(folder.path)/store.db")
        try other.inDatabase { try $0.execute(sql: change) }

        let known = "\(try #require(Migrations.versions.last))"
        let error = #expect(throws: StoreError.self) { try open() }
        guard case .unknownSchema(let found, known) = error else {
            Issue.record("the schema was taken for a known one")
            return
        }
        #expect(found != known)
        #expect(throws: StoreError.unknownSchema(found: found, known: known)) {
            try StoredData(path: "\(folder.path)/store.db")
        }
    }

    @Test func aFileThatIsNoDatabaseIsRefused() throws {
        try Data(repeating: 65, count: 8192).write(to: URL(filePath: "\(folder.path)/text"))

        let error = #expect(throws: StoreError.self) { try open("text") }
        #expect("\(try #require(error))".hasPrefix("the database is damaged"))
        #expect(throws: StoreError.self) { try open("none/store.db") }
        #expect(try Data(contentsOf: URL(filePath: "\(folder.path)/text")).count == 8192)
    }
}
