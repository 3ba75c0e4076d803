import Core
import GRDB
import Store
import StoreSupport
import TestSupport
import Testing

@Suite struct StoredDataTests {
    private let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private func copy() throws -> Int {
        fixture.folder.write("", to: "copy.db")
        return try StoredData(path: fixture.path).copy(to: fixture.folder("copy.db"))
    }

    @Test func aCopyOfAnOpenDatabaseHasEveryCommit() async throws {
        for _ in 0..<3 { try await fixture.make() }
        let count = try copy()
        let copied = try DatabaseQueue(path: fixture.folder("copy.db"))

        #expect(count == 3)
        #expect(try await copied.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM download") } == 3)
        #expect(try await copied.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM event") } == 3)
    }

    @Test func aCopyNeedsNoLogBesideIt() async throws {
        try await fixture.make()
        _ = try copy()

        #expect(fixture.folder.names(in: "").filter { $0.hasPrefix("copy.db") } == ["copy.db"])
        #expect(fixture.folder.read("copy.db")[18...19] == [1, 1])
        let store = try Fixture.open(fixture.folder("copy.db"))
        #expect(try await store.downloads(DownloadFilter(), before: nil, limit: 9).count == 1)
    }

    @Test func aCopyDuringWritesHasTheStateOfOneCommit() async throws {
        let store = fixture.store
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for _ in 0..<200 {
                    _ = try await store.create(Fixture.new(DownloadRequest(url: Fixture.url())), now: Fixture.now)
                }
            }
            let count = try copy()
            let copied = try DatabaseQueue(path: fixture.folder("copy.db"))
            let events = try await copied.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM event") }
            #expect(events == count)
            try await group.waitForAll()
        }
    }

    @Test func aSoundDatabaseHasNoFault() async throws {
        try await fixture.make()

        #expect(try StoredData(path: fixture.path).faults().isEmpty)
    }

    @Test func aDamagedPageIsAFaultAndIsNotCopied() async throws {
        try await fixture.make()
        let root = try fixture.texts("SELECT rootpage FROM sqlite_schema WHERE name = 'event'")
        let start = try #require(root.first.flatMap { Int64($0) }.map { ($0 - 1) * 4096 })
        fixture.store.close()
        try fixture.window.close()
        fixture.folder.zero("store.db", in: start..<start + 4096)
        let data = try StoredData(path: fixture.path)
        fixture.folder.write("", to: "copy.db")

        #expect(try !data.faults().isEmpty)
        let error = #expect(throws: StoreError.self) { try data.copy(to: fixture.folder("copy.db")) }
        #expect("\(try #require(error))".hasPrefix("the database is damaged"))
    }

    @Test func everyDownloadIsOnOnePageAndAnUnreadableOneIsNamed() async throws {
        for _ in 0..<5 { try await fixture.make() }
        let id = try #require(try fixture.texts("SELECT id FROM download ORDER BY row")[safe: 2])
        try fixture.execute("UPDATE download SET directory = '../a' WHERE id = ?", [id])
        let data = try StoredData(path: fixture.path)
        var pages: [StoredData.Page] = []
        repeat {
            pages.append(try data.downloads(after: pages.last?.next, limit: 2))
        } while pages.last?.next != nil

        #expect(pages.flatMap(\.downloads).count == 4)
        #expect(pages.flatMap(\.unreadable).map(\.id) == [id])
    }

    @Test func aFileThatAnotherDownloadHasTakenIsNotCurrent() async throws {
        let first = try await completed()
        let data = try StoredData(path: fixture.path)
        #expect(try data.current(first)?.id == first.id)
        let second = try await completed()

        #expect(try data.current(first) == nil)
        #expect(try data.current(second)?.id == second.id)
    }

    private func completed() async throws -> Download {
        try await fixture.download(at: DownloadStateMachine(state: .completed))
    }

    @Test func anEmptyFileIsNoDatabaseOfTheService() throws {
        fixture.folder.write("", to: "empty.db")

        #expect(throws: StoreError.self) { try StoredData(path: fixture.folder("empty.db")) }
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
