import Core
import Store
import Testing

@Suite struct DedupeTests {
    let fixture: Fixture
    let request = DownloadRequest(url: Fixture.url(), dedupeKey: "key")

    init() throws {
        fixture = try Fixture()
    }

    @Test(
        arguments: DownloadStateMachine.stands.filter { $0.state != .failed && $0.state != .cancelled }
    )
    func aLiveDownloadIsReturned(_ stand: DownloadStateMachine) async throws {
        let first = try await fixture.download(at: stand)
        try fixture.execute("UPDATE download SET dedupe_key = 'key'")

        guard case .existing(let found) = try await fixture.store.create(Fixture.new(request), now: Fixture.now) else {
            Issue.record("a second one was made")
            return
        }
        #expect(found.id == first.id)
        #expect(try fixture.count("download") == 1)
    }

    @Test(arguments: [.failed, .cancelled] as [DownloadState])
    func anEndedOneGivesTheKeyFree(_ state: DownloadState) async throws {
        let first = try await fixture.download(at: DownloadStateMachine(state: state))
        try fixture.execute("UPDATE download SET dedupe_key = 'key'")

        let second = try await fixture.make(request)
        #expect(second.id != first.id)
        #expect(try fixture.count("download") == 2)
    }

    @Test func aDeletedOneGivesTheKeyFree() async throws {
        let first = try await fixture.make(request)
        _ = try await fixture.store.delete(first.id, force: true, expectedRevision: nil, now: Fixture.now)

        #expect(try await fixture.make(request).id != first.id)
    }

    /// The key is another's now: two live downloads of one key would be what it is there to prevent.
    @Test func aRetryWhoseKeyIsTakenIsRefused() async throws {
        let first = try await fixture.make(request)
        try await fixture.done(first.id, .cancel)
        let second = try await fixture.make(request)
        let before = try fixture.row(first.id)

        guard case .dedupeKeyTaken(let holder, let state) = try await fixture.command(first.id, .retry) else {
            Issue.record("the retry was not refused")
            return
        }
        #expect(holder == second.id)
        #expect(state == .cancelled)
        #expect(try fixture.row(first.id) == before)
        try await fixture.done(second.id, .cancel)
        #expect(try await fixture.done(first.id, .retry).download.state == .queued)
    }

    @Test func fiftyAtOnceMakeOne() async throws {
        let ids = try await withThrowingTaskGroup(of: DownloadID.self) { group in
            for _ in 0..<50 {
                group.addTask { [fixture, request] in
                    switch try await fixture.store.create(Fixture.new(request), now: Fixture.now) {
                    case .created(let download), .existing(let download): return download.id
                    case .replayed, .keyReused, .queueFull, .quotaExceeded, .sessionSealed, .dedupeConflict:
                        throw Unexpected(what: "another answer")
                    }
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }

        #expect(ids.count == 1)
        #expect(try fixture.count("download") == 1)
        #expect(try fixture.count("event") == 1)
    }
}
