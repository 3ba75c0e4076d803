import Core
import GRDB
@testable import Store
import Testing

@Suite struct GroupCommitTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    @Test func everyOneOfManyCallersIsAnswered() async throws {
        let ids = try await withThrowingTaskGroup(of: DownloadID.self) { group in
            for _ in 0..<64 { group.addTask { [fixture] in try await fixture.make(session: "s").id } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }

        #expect(ids.count == 64)
        #expect(try fixture.count("download") == 64)
        #expect(try fixture.count("event") == 64)
        #expect(try fixture.value("SELECT open_count FROM session") == 64)
    }

    @Test func oneThatThrowsUndoesItselfAlone() async throws {
        let taken = try await fixture.make(session: "s").id
        let created = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<64 {
                let id = index.isMultiple(of: 8) ? taken : DownloadID(at: Fixture.now)
                let request = DownloadRequest(url: Fixture.url(), session: SessionName("s"))
                let new = NewDownload(id: id, request: request, starts: true, deadlineAt: Fixture.at(9))
                group.addTask { [fixture] in (try? await fixture.store.create(new, now: Fixture.now)) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }

        #expect(created == 56)
        #expect(try fixture.count("download") == 57)
        #expect(try fixture.count("event") == 57)
        #expect(try fixture.value("SELECT open_count FROM session") == 57)
    }

    @Test func callsThatWaitedAreCommittedTogether() async throws {
        let executor = SerialExecutor()
        try await fixture.store.writer.write { [fixture] transaction in
            for _ in 0..<3 { Task(executorPreference: executor) { try await fixture.make() } }
            executor.settle()
            try transaction.execute("CREATE TABLE mark (x)", [])
        }
        try await fixture.make()

        #expect(try fixture.count("download") == 4)
        #expect(try fixture.texts("SELECT CAST(seq AS TEXT) FROM event ORDER BY seq") == ["1", "2", "3", "4"])
    }

    @Test func afterCloseEveryWriteIsRefused() async throws {
        let id = try await fixture.make().id
        fixture.store.close()

        await #expect(throws: StoreError.closed) { try await fixture.make() }
        await #expect(throws: StoreError.closed) { try await fixture.claim(free: 1) }
        #expect(try await fixture.store.download(id) != nil)
        fixture.store.close()
    }

    @Test func aCommitWakesThoseWhoWait() async throws {
        let downloads = fixture.store.notices.stream(of: .downloads)
        let both = fixture.store.notices.stream(of: [.deliveries, .events])
        try await fixture.make()

        var first = downloads.makeAsyncIterator()
        var second = both.makeAsyncIterator()
        #expect(await first.next() != nil)
        #expect(await second.next() != nil)
    }
}
