import Core
import Store
import Testing

@Suite struct DeleteTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private func delete(_ id: DownloadID, force: Bool = false, revision: Int64? = nil) async throws -> Deletion {
        try await fixture.store.delete(id, force: force, expectedRevision: revision, now: Fixture.now)
    }

    @Test(arguments: DownloadStateMachine.stands, [false, true])
    func onlyWhatHasEndedGoesWithoutForce(_ stand: DownloadStateMachine, force: Bool) async throws {
        let old = try await fixture.download(at: stand, session: "s")

        switch try await delete(old.id, force: force) {
        case .deleted(let download):
            #expect(stand.state.isTerminal || force)
            #expect(download == old)
            #expect(try fixture.row(old.id).isEmpty)
            #expect(try fixture.events(of: old.id).last == "download.deleted")
            #expect(try fixture.value("SELECT open_count FROM session") == 0)
            #expect(try fixture.count("event WHERE terminal = 1") == 1)
            #expect(try fixture.count("event WHERE type = 'session.finished'") == 1)
        case .notTerminal(let download):
            #expect(!stand.state.isTerminal && !force)
            #expect(download == old)
        case .busy(let download):
            #expect(stand.phase == .publishing && force)
            #expect(download == old)
        case .notFound, .revisionMismatch: Issue.record("another answer")
        }
    }

    @Test func itsSegmentsGoAndItsWorkerIsFenced() async throws {
        let claim = try await fixture.claimed().claim
        _ = try await fixture.store.checkpoint(claim, Fixture.checkpoint(1), now: Fixture.now)
        _ = try await delete(claim.id, force: true)

        #expect(try fixture.count("segment") == 0)
        #expect(try await fixture.store.checkpoint(claim, Fixture.checkpoint(2), now: Fixture.now).isLost)
        #expect(try await fixture.store.settle(claim, .completed, madeProgress: true, now: Fixture.now).isLost)
    }

    @Test func aRefusalSaysWhy() async throws {
        let old = try await fixture.download(at: DownloadStateMachine(state: .failed))

        guard case .revisionMismatch(let current) = try await delete(old.id, revision: 99) else {
            Issue.record("another answer")
            return
        }
        #expect(current == old)
        guard case .notFound = try await delete(DownloadID(at: Fixture.now)) else {
            Issue.record("another answer")
            return
        }
    }
}
