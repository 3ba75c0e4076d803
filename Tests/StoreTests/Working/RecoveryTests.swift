import Model
import Store
import Testing

@Suite struct RecoveryTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    @Test(arguments: DownloadStateMachine.stands)
    func eachStandIsTakenOver(_ stand: DownloadStateMachine) async throws {
        let old = try await fixture.download(at: stand)
        let before = try fixture.row(old.id)
        let events = try fixture.events(of: old.id)

        let publishing = try await fixture.store.recover(owner: "next", now: Fixture.at(5))
        let new = try await fixture.download(old.id)
        #expect(try fixture.events(of: old.id) == events)
        switch stand.phase {
        case .publishing:
            #expect(publishing.map(\.download) == [new])
            #expect(publishing.map(\.claim) == [Claim(id: old.id, owner: "next", epoch: old.epoch + 1)])
            #expect(new.machine == stand)
        case .probing, .transferring, .verifying:
            #expect(publishing.isEmpty)
            #expect(new.machine == DownloadStateMachine(state: .queued))
            #expect(new.progress == old.progress)
            #expect(new.epoch == old.epoch + 1)
        case nil:
            #expect(publishing.isEmpty)
            #expect(try fixture.row(old.id) == before)
        }
    }

    @Test func theDeadProcessIsFenced() async throws {
        let claim = try await fixture.claimed().claim
        _ = try await fixture.store.recover(owner: Fixture.owner, now: Fixture.at(5))

        #expect(try await fixture.store.checkpoint(claim, Fixture.checkpoint(1), now: Fixture.now).isLost)
    }

    @Test func onceMoreChangesNothingMore() async throws {
        for stand in DownloadStateMachine.stands { _ = try await fixture.download(at: stand, session: "s") }
        let machines = { [fixture] in
            try await fixture.store.downloads(DownloadFilter(), before: nil, limit: 100).map(\.machine)
        }
        let first = try await fixture.store.recover(owner: "next", now: Fixture.at(5))
        let after = try await machines()
        let events = try fixture.count("event")

        let second = try await fixture.store.recover(owner: "next", now: Fixture.at(6))
        #expect(second.map(\.claim.id) == first.map(\.claim.id))
        #expect(try await machines() == after)
        #expect(try fixture.count("event") == events)
        let finished = try #require(second.first)
        _ = try await fixture.store.settle(finished.claim, .completed, madeProgress: true, now: Fixture.at(7)).taken
    }

    @Test(arguments: DownloadStateMachine.stands)
    func aPartIsNeededUntilItsDownloadIsWhole(_ stand: DownloadStateMachine) async throws {
        let download = try await fixture.download(at: stand)

        let isNeeded = stand.state != .completed
        #expect(try await fixture.store.needsPart(download.id, generation: download.generation) == isNeeded)
        #expect(try await !fixture.store.needsPart(download.id, generation: download.generation + 1))
        #expect(try await !fixture.store.needsPart(DownloadID(at: Fixture.now), generation: 1))
    }

    @Test func everythingIsThereAfterARestart() async throws {
        let claimed = try await fixture.claimed(session: "s")
        _ = try await fixture.store.checkpoint(claimed.claim, Fixture.checkpoint(400), now: Fixture.now)
        let download = try await fixture.download(claimed.claim.id)
        fixture.store.close()

        let store = try Fixture.open(fixture.path)
        #expect(try await store.download(download.id) == download)
        _ = try await store.recover(owner: "next", now: Fixture.at(5))
        let next = try await store.claim(Slots(free: 1, perHost: 1), owner: "next", now: Fixture.at(6)).downloads
        #expect(next.map(\.segments) == [Fixture.checkpoint(400).segments])
    }
}
