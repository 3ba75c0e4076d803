import GRDB
import Model
import Synchronization
import Testing

@testable import Store

/// What becomes of a transaction that the disk ends.
@Suite struct DiskFaultTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    @Test func aFullDiskIsAKnownRollBack() async throws {
        let id = try await fixture.make().id
        try await fixture.store.writer.write { transaction in
            let pages = try Int.fetchOne(transaction.database, sql: "PRAGMA page_count") ?? 0
            _ = try Int.fetchOne(transaction.database, sql: "PRAGMA max_page_count = \(pages)")
        }
        var request = DownloadRequest(url: Fixture.url(), session: SessionName("s"))
        request.metadata = JSONText(canonical: String(repeating: " ", count: 1 << 20))

        await #expect(throws: StoreError.full) { try await fixture.make(request) }
        #expect(try fixture.count("download") == 1)
        #expect(try fixture.count("session") == 0)
        #expect(try await fixture.store.download(id) != nil)
        try await fixture.store.writer.write { transaction in
            _ = try Int.fetchOne(transaction.database, sql: "PRAGMA max_page_count = 100000")
        }
        try await fixture.make(request)
    }

    /// Nobody knows what such a commit left, so nothing more is written before the file was read anew.
    @Test func afterAFailedCommitTheStoreFallsSilent() async throws {
        #expect(!fixture.store.hasFailed)
        await #expect(throws: StoreError.outcomeUnknown) { try await fail() }

        #expect(fixture.store.hasFailed)
        await #expect(throws: StoreError.outcomeUnknown) { try await fixture.make() }
        #expect(try fixture.count("download") == 0)
        #expect(try await fixture.store.download(DownloadID(at: Fixture.now)) == nil)
        let store = try Fixture.open(fixture.path)
        _ = try await store.create(Fixture.new(DownloadRequest(url: Fixture.url())), now: Fixture.now)
    }

    @Test func whatWaitedMeanwhileIsNotWrittenEither() async throws {
        let executor = SerialExecutor()
        let waiting = Mutex<Task<Download?, Never>?>(nil)
        await #expect(throws: StoreError.outcomeUnknown) {
            try await fail { [fixture] in
                waiting.withLock { $0 = Task(executorPreference: executor) { try? await fixture.make() } }
                executor.settle()
            }
        }

        let task = try #require(waiting.withLock { $0 })
        #expect(await task.value == nil)
        #expect(try fixture.count("download") == 0)
    }

    private func fail(_ before: @escaping @Sendable () -> Void = {}) async throws {
        try await fixture.store.writer.write { _ in
            before()
            throw DatabaseError(resultCode: .SQLITE_IOERR)
        }
    }
}
