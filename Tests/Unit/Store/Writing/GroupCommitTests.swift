import Core
import StoreSupport
import TestSupport
import Testing

@testable import Store

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

    @Test func aThrowingCallUndoesOnlyItself() async throws {
        let taken = try await fixture.make(session: "s").id
        let created = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<64 {
                let id = index.isMultiple(of: 8) ? taken : DownloadID(at: Fixture.now)
                var request = DownloadRequest(url: Fixture.url())
                request.session = SessionName("s")
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
            executor.finishWork()
            try transaction.execute("CREATE TABLE mark (x)", [])
        }
        try await fixture.make()

        #expect(try fixture.count("download") == 4)
        #expect(try fixture.texts("SELECT CAST(seq AS TEXT) FROM event ORDER BY seq") == ["1", "2", "3", "4"])
    }

    /// The rows of the group are read before its first call, and the calls change them one after the other.
    @Test func aCallOfAGroupSeesTheChangesOfThoseBeforeIt() async throws {
        let ids = try await [fixture.make(starts: false).id, fixture.make(starts: false).id]
        var edit = DownloadEdit()
        edit.set(\.priority, to: Priority(clamping: 5))
        let executor = SerialExecutor()
        try await fixture.store.writer.write { [fixture, edit] _ in
            for id in ids {
                Task(executorPreference: executor) { try await fixture.done(id, nil, edit) }
                Task(executorPreference: executor) { try await fixture.done(id, .resume) }
                Task(executorPreference: executor) { try await fixture.done(id, .pause) }
            }
            executor.finishWork()
        }
        // It is committed after the group.
        try await fixture.make()

        for id in ids {
            let download = try await fixture.download(id)
            #expect(download.revision == 4 && download.request.priority == Priority(clamping: 5))
            #expect(try fixture.events(of: id).suffix(2) == ["download.resumed", "download.paused"])
        }
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

/// What the writer remembers of the rows is what they hold.
@Suite struct WriterCacheTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    @Test(arguments: [.queued, .running] as [DownloadState])
    func writesOfAnotherConnectionAreSeen(_ state: DownloadState) async throws {
        let made = try await fixture.download(at: DownloadStateMachine(state: state))

        try fixture.execute("UPDATE download SET max_bytes = 7 WHERE id = ?", [made.id.text])
        #expect(try await fixture.writtenDownload(made.id)?.request.maxBytes == 7)
    }

    @Test func writesOfAFailedCallAreRolledBack() async throws {
        let claimed = try await fixture.claimed()
        let before = try await fixture.writtenDownload(claimed.claim.id)

        await #expect(throws: StoreError.self) {
            _ = try await fixture.store.recordOutcome(claimed.claim, .completed, madeProgress: true, now: Fixture.at(1))
        }
        #expect(try await fixture.writtenDownload(claimed.claim.id) == before)
    }

    @Test func aDeletedDownloadIsGone() async throws {
        let made = try await fixture.make()

        _ = try await fixture.store.delete(made.id, force: true, expectedRevision: nil, now: Fixture.at(1))
        #expect(try await fixture.writtenDownload(made.id) == nil)
    }
}

/// Looking a download up again and again.
@Suite struct LookUpTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    @Test func aLookUpNeverShowsLessThanAWriteWasAnswered() async throws {
        let ids = try await [fixture.make().id, fixture.make().id, fixture.make().id]

        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in ids {
                group.addTask { try await change(id) }
                // Its look-ups fall between the writes, and leave what they read behind.
                group.addTask { for _ in 0..<2000 { _ = try await fixture.download(id) } }
            }
            try await group.waitForAll()
        }
    }

    private func change(_ id: DownloadID) async throws {
        for round in 1...100 {
            var edit = DownloadEdit()
            edit.labels = .set(JSONText(canonical: #"{"round":"\#(round)"}"#))
            let written = try await fixture.done(id, nil, edit).download
            #expect(try await fixture.download(id).revision >= written.revision)
        }
    }

    @Test func aDeletedRowIsNotFoundInTheCache() async throws {
        let id = try await fixture.make(starts: false).id
        #expect(try await fixture.store.download(id) != nil)
        #expect(try await fixture.store.download(id) != nil)

        try await fixture.done(id, .cancel)
        _ = try await fixture.store.delete(id, force: false, expectedRevision: nil, now: Fixture.now)

        #expect(try await fixture.store.download(id) == nil)
    }

    @Test func moreThanAreKeptAreStillFound() async throws {
        var ids: [DownloadID] = []
        for _ in 0..<1100 { ids.append(try await fixture.make(starts: false).id) }

        for id in ids + ids { #expect(try await fixture.store.download(id)?.id == id) }
    }
}
