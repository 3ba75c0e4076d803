import Core
import Store
import StoreSupport
import Testing

/// Actions on all downloads of a session.
@Suite struct SessionActionTests {
    let fixture: Fixture
    let name: SessionName

    init() throws {
        fixture = try Fixture()
        name = try #require(SessionName("s"))
    }

    private func act(
        _ action: SessionAction,
        on ids: [DownloadID],
        keepsPartial: Bool = false
    ) async throws -> ActionOutcome {
        try await fixture.store.act(
            action,
            on: ids,
            keepsPartial: keepsPartial,
            timeLimit: .seconds(86_400),
            now: Fixture.now
        )
    }

    private func found(_ action: SessionAction) async throws -> [DownloadID] {
        try await fixture.store.downloads(of: name, for: action)
    }

    /// What an action finds in each stand is what it would change alone, but for what waits for its time.
    @Test(arguments: DownloadStateMachine.allMachines, SessionAction.allCases)
    func aSessionActionMovesWhatSingleActionsWould(
        _ machine: DownloadStateMachine,
        _ action: SessionAction
    ) async throws {
        let id = try await fixture.download(at: machine, session: "s").id
        var alone = machine
        let effect = try? alone.apply(action.downloadAction)
        let isMoved = effect.map { $0 != .unchanged } ?? false
        let isForLater = action == .resume && machine.waitingFor == .schedule
        let isTooLate = machine.phase == .publishing && action != .resume

        let ids = try await found(action)
        let outcome = try await act(action, on: [id])

        #expect(ids == ((isMoved && !isForLater) || isTooLate ? [id] : []))
        #expect(outcome.results.map(\.download.id) == (isMoved && !isForLater ? [id] : []))
        #expect(outcome.refused == (isTooLate ? 1 : 0))
        let (again, next) = (try await found(action), try await act(action, on: [id]))
        #expect(again == (isTooLate ? [id] : []))
        #expect(next.results.isEmpty)
    }

    @Test func aWorkerIsToBeStoppedAndItsBytesGoWithACancel() async throws {
        let claimed = try await fixture.claimed(session: "s")
        _ = try await fixture.store.checkpoint(claimed.claim, Fixture.checkpoint(400), now: Fixture.now)

        let moved = try #require(try await act(.cancel, on: [claimed.claim.id]).results.first)
        #expect(moved.stoppedEpoch == claimed.claim.epoch)
        #expect(try await fixture.store.partsToRemove() == [claimed.claim.id: 1])
        #expect(try await fixture.download(claimed.claim.id).progress.durableBytes == 0)
    }

    @Test func aCancelCanKeepTheBytes() async throws {
        let claimed = try await fixture.claimed(session: "s")
        _ = try await fixture.store.checkpoint(claimed.claim, Fixture.checkpoint(400), now: Fixture.now)

        _ = try #require(try await act(.cancel, on: [claimed.claim.id], keepsPartial: true).results.first)
        #expect(try await fixture.store.partsToRemove().isEmpty)
        #expect(try await fixture.download(claimed.claim.id).progress.durableBytes == 400)
    }

    /// Were those that run paused first, others would begin in their places.
    @Test func aSessionActionMovesRunningDownloadsLast() async throws {
        let running = try await fixture.claimed(session: "s").claim.id
        let queued = try await fixture.make(session: "s").id

        #expect(try await found(.pause) == [queued, running])
    }

    @Test func aSessionActionFindsOnlyItsSessionAndEpoch() async throws {
        try await fixture.done(fixture.make(session: "s").id, .cancel)
        try await fixture.make(session: "t")
        try await fixture.make()

        for action in SessionAction.allCases { #expect(try await found(action).isEmpty) }
        let id = try await fixture.make(session: "s").id
        #expect(try await found(.cancel) == [id])
    }

    @Test func theLastPartOfACancelFinishesTheSession() async throws {
        for _ in 0..<5 { try await fixture.make(session: "s") }
        let ids = try await found(.cancel)

        for (index, id) in ids.enumerated() {
            #expect(try fixture.count("event WHERE type = 'session.finished'") == 0, "\(index)")
            #expect(try await act(.cancel, on: [id]).results.count == 1)
        }
        #expect(try fixture.count("event WHERE type = 'session.finished'") == 1)
    }

    @Test func aSessionActionSkipsDownloadsThatAreGone() async throws {
        let ids = [try await fixture.make(session: "s").id, try await fixture.make(session: "s").id]
        _ = try await fixture.store.delete(ids[0], force: true, expectedRevision: nil, now: Fixture.now)

        let outcome = try await act(.pause, on: ids)
        #expect(outcome.results.map(\.download.id) == [ids[1]])
        #expect(outcome.unchanged == 1)
    }

    @Test func anUnreadableDownloadDelaysNoOther() async throws {
        let ids = [try await fixture.make(session: "s").id, try await fixture.make(session: "s").id]
        try fixture.execute("UPDATE download SET filename = 'a/b' WHERE id = ?", [ids[0].text])

        let outcome = try await act(.pause, on: ids)
        #expect(outcome.results.map(\.download.id) == [ids[1]])
        #expect(outcome.refused == 1)
    }

    @Test func aSessionActionRepeatsNothing() async throws {
        for _ in 0..<3 { try await fixture.make(session: "s") }
        let ids = try await found(.pause)
        _ = try await act(.pause, on: ids)
        let events = try fixture.count("event")

        let again = try await act(.pause, on: ids)
        #expect(again.results.isEmpty && again.unchanged == 3)
        #expect(try fixture.count("event") == events)
    }
}
