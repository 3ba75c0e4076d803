import Core
import GRDB
import StoreSupport
import Synchronization
import Testing

@testable import Store

/// What becomes of a transaction that the disk ends.
@Suite struct DiskFaultTests {
    private static let locked = StoreError.unavailable("another process has locked it")

    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    @Test func aFullDiskIsAKnownRollBack() async throws {
        let id = try await fixture.make().id
        try await fixture.store.writer.write { transaction in
            let pages = try transaction.database.first(Int.self, "PRAGMA page_count") ?? 0
            _ = try transaction.database.first(Int.self, "PRAGMA max_page_count = \(pages)")
        }
        var request = DownloadRequest(url: Fixture.url())
        request.session = SessionName("s")
        request.metadata = JSONText(canonical: String(repeating: " ", count: 1 << 20))

        await #expect(throws: StoreError.full) { try await fixture.make(request) }
        #expect(try fixture.count("download") == 1)
        #expect(try fixture.count("session") == 0)
        #expect(try await fixture.store.download(id) != nil)
        try await fixture.store.writer.write { transaction in
            _ = try transaction.database.first(Int.self, "PRAGMA max_page_count = 100000")
        }
        try await fixture.make(request)
    }

    /// Nobody knows what such a commit left, so nothing more is written before the file was read anew.
    @Test func afterAFailedCommitTheStoreFallsSilent() async throws {
        #expect(fixture.store.failure == nil)
        await #expect(throws: StoreError.outcomeUnknown) { try await fail() }

        #expect(fixture.store.failure == .outcomeUnknown)
        await #expect(throws: StoreError.outcomeUnknown) { try await fixture.make() }
        #expect(try fixture.count("download") == 0)
        #expect(try await fixture.store.download(DownloadID(at: Fixture.now)) == nil)
        let store = try Fixture.open(fixture.path)
        _ = try await store.create(Fixture.new(DownloadRequest(url: Fixture.url())), now: Fixture.now)
    }

    @Test func callsThatWaitedDuringAFaultAreNotWritten() async throws {
        let executor = SerialExecutor()
        let waiting = Mutex<Task<Download?, Never>?>(nil)
        await #expect(throws: StoreError.outcomeUnknown) {
            try await fail(.SQLITE_IOERR_FSYNC) { [fixture] in
                waiting.withLock { $0 = Task(executorPreference: executor) { try? await fixture.make() } }
                executor.finishWork()
            }
        }

        let task = try #require(waiting.withLock { $0 })
        #expect(await task.value == nil)
        #expect(try fixture.count("download") == 0)
    }

    @Test(arguments: [
        (ResultCode.SQLITE_FULL, StoreError.full), (.SQLITE_BUSY, Self.locked), (.SQLITE_IOERR_WRITE, .failed("778")),
        (.SQLITE_READONLY, .failed("8")), (.SQLITE_NOMEM, .failed("7")),
        (.SQLITE_CONSTRAINT_CHECK, .refused("275")), (.SQLITE_MISUSE, .misuse("21")),
    ])
    func anErrorBeforeTheCommitIsAKnownOne(_ code: ResultCode, _ expected: StoreError) async throws {
        let error = await #expect(throws: StoreError.self) {
            try await fixture.store.writer.write { transaction in
                try transaction.execute("INSERT INTO host (authority) VALUES ('a')", [])
                throw StoreError(DatabaseError(resultCode: code))
            }
        }

        #expect(try #require(error).kind == expected.kind)
        #expect(try "\(#require(error))".contains(expected.detail))
        #expect(fixture.store.failure == nil)
        #expect(try fixture.count("host") == 0)
        try await fixture.make()
    }

    @Test(arguments: [
        (ResultCode.SQLITE_IOERR_FSYNC, StoreError.outcomeUnknown), (.SQLITE_FULL, .full),
        (.SQLITE_CORRUPT, .corrupt("11")),
        (.SQLITE_CONSTRAINT_FOREIGNKEY, .refused("787")),
    ])
    func onlyAnInputOutputErrorOfTheCommitLeavesTheOutcomeUnknown(
        _ code: ResultCode,
        _ expected: StoreError
    ) async throws {
        let error = await #expect(throws: StoreError.self) { try await fail(code) }

        #expect(try #require(error).kind == expected.kind)
        #expect((fixture.store.failure == .outcomeUnknown) == (expected == .outcomeUnknown))
    }

    /// Whatever is written to a damaged file makes it worse, and whatever is read of it may be wrong.
    @Test(arguments: [ResultCode.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_CORRUPT_INDEX], [true, false])
    func aDamagedDatabaseIsNeitherWrittenNorKeptSilentAbout(_ code: ResultCode, isRead: Bool) async throws {
        let failures = fixture.store.notices.stream(of: .failure)
        let error = await #expect(throws: StoreError.self) {
            if isRead {
                try await fixture.store.readers.read { _ in throw StoreError(DatabaseError(resultCode: code)) }
            } else {
                try await fixture.store.writer.write { _ in throw StoreError(DatabaseError(resultCode: code)) }
            }
        }

        #expect(try #require(error).kind == "the database is damaged")
        #expect(fixture.store.failure == error)
        var iterator = failures.makeAsyncIterator()
        #expect(await iterator.next() != nil)
        let later = await #expect(throws: StoreError.self) { try await fixture.make() }
        #expect(later == error)
    }

    @Test(arguments: [
        (ResultCode.SQLITE_BUSY, Self.locked), (.SQLITE_BUSY_RECOVERY, Self.locked), (.SQLITE_LOCKED, Self.locked),
        (.SQLITE_IOERR_READ, .failed("266")), (.SQLITE_CORRUPT, .corrupt("11")), (.SQLITE_ERROR, .misuse("1")),
    ])
    func aReaderTellsItsErrorsApartToo(_ code: ResultCode, _ expected: StoreError) async throws {
        let readers = fixture.store.readers
        let errors = [
            await #expect(throws: StoreError.self) {
                try await readers.read { _ in throw StoreError(DatabaseError(resultCode: code)) }
            },
            await #expect(throws: StoreError.self) {
                try await readers.lookUp { _ in throw StoreError(DatabaseError(resultCode: code)) }
            },
        ]

        for error in errors {
            #expect(try #require(error).kind == expected.kind)
            #expect(try "\(#require(error))".contains(expected.detail))
        }
    }

    /// Fails as SQLite does when the disk ends the commit.
    private func fail(
        _ code: ResultCode = .SQLITE_IOERR,
        _ before: @escaping @Sendable () -> Void = {}
    ) async throws {
        try await fixture.store.writer.write { transaction in
            before()
            let database = try #require(transaction.database as? SQLiteDatabase)
            database.connection.add(transactionObserver: FailingCommit(code: code), extent: .databaseLifetime)
            try transaction.execute("INSERT INTO host (authority) VALUES ('a')", [])
        }
    }
}

/// Refuses each commit.
private final class FailingCommit: TransactionObserver {
    private let code: ResultCode

    init(code: ResultCode) {
        self.code = code
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseWillCommit() throws { throw DatabaseError(resultCode: code) }
    func databaseDidCommit(_ database: GRDB.Database) {}
    func databaseDidRollback(_ database: GRDB.Database) {}
}

extension StoreError {
    /// The error without what it tells.
    fileprivate var kind: Substring { "\(self)".prefix { $0 != ":" } }

    /// What it tells; nothing for one that tells nothing.
    fileprivate var detail: String {
        switch self {
        case .failed(let detail), .corrupt(let detail), .refused(let detail), .misuse(let detail): detail
        default: "\(self)"
        }
    }
}
