import Core
import Store
import StoreSupport
import Testing

@Suite struct CommandTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    @Test(arguments: DownloadStateMachine.allMachines, DownloadAction.allCases)
    func theStoreDoesWhatTheStateMachineSays(_ initial: DownloadStateMachine, _ action: DownloadAction) async throws {
        let old = try await fixture.download(at: initial)
        let before = try fixture.row(old.id)
        let events = try fixture.events(of: old.id)
        var machine = initial
        let effect = Result { () throws(InvalidTransition) in try machine.apply(action) }

        let outcome = try await fixture.command(old.id, action)
        let new = try await fixture.download(old.id)
        switch (outcome, effect) {
        case (.success(let moved), .success(.changed(let stopsWorker))):
            #expect(moved.download == new)
            #expect(new.machine == machine)
            #expect(new.revision == old.revision + 1)
            #expect(moved.stoppedEpoch == (stopsWorker ? old.epoch : nil))
            #expect(try fixture.events(of: old.id).count == events.count + 1)
        case (.success(let moved), .success(.unchanged)):
            #expect(moved.download == old && moved.stoppedEpoch == nil)
            #expect(try await fixture.store.partsToRemove().isEmpty)
            #expect(try fixture.row(old.id) == before)
            #expect(try fixture.events(of: old.id) == events)
        case (.failure(.invalidTransition(let refusal)), .failure(let expected)):
            #expect(refusal == expected)
            #expect(try fixture.row(old.id) == before)
            #expect(try fixture.events(of: old.id) == events)
        default: Issue.record("\(outcome) is not \(effect)")
        }
    }

    @Test(
        arguments: [
            (.pause, .queued, "download.paused"), (.resume, .paused, "download.resumed"),
            (.cancel, .queued, "download.cancelled"), (.retry, .failed, "download.resumed"),
        ] as [(DownloadAction, DownloadState, String)]
    )
    func anActionHasItsEvent(_ action: DownloadAction, from state: DownloadState, type: String) async throws {
        let id = try await fixture.download(at: DownloadStateMachine(state: state)).id
        try await fixture.done(id, action)

        #expect(try fixture.events(of: id).last == type)
    }

    @Test func aDownloadThatIsNotThereIsNotFound() async throws {
        guard case .failure(.notFound) = try await fixture.command(DownloadID(at: Fixture.now), .pause) else {
            Issue.record("found")
            return
        }
    }

    /// An earlier one is that of a client that has not seen the last change.
    @Test(arguments: [-1, 1] as [Int64])
    func anotherRevisionIsRefused(_ difference: Int64) async throws {
        let old = try await fixture.make()
        let before = try fixture.row(old.id)

        let outcome = try await fixture.command(old.id, .pause, expectedRevision: old.revision + difference)
        guard case .failure(.revisionMismatch(let current)) = outcome else { throw Unexpected(what: "\(outcome)") }
        #expect(current == old)
        #expect(try fixture.row(old.id) == before)
        guard case .success = try await fixture.command(old.id, .pause, expectedRevision: old.revision) else {
            Issue.record("the present revision was refused")
            return
        }
    }

    @Test func cancelDiscardsTheBytesAndFencesTheWorker() async throws {
        let claim = try await fixture.claimed().claim
        _ = try await fixture.store.checkpoint(claim, Fixture.checkpoint(400), now: Fixture.now)

        let (download, stopped) = try await fixture.done(claim.id, .cancel)
        #expect(stopped == claim.epoch)
        #expect(try await fixture.store.partsToRemove() == [claim.id: 1])
        #expect(download.generation == 2)
        #expect(download.epoch == claim.epoch + 1)
        #expect(download.progress == Download.Progress())
        #expect(try fixture.count("segment") == 0)
    }

    @Test func cancelKeepsTheBytesWhereThatIsAsked() async throws {
        let claim = try await fixture.claimed().claim
        _ = try await fixture.store.checkpoint(claim, Fixture.checkpoint(400), now: Fixture.now)

        let (download, _) = try await fixture.done(claim.id, .cancel, keepsPartial: true)
        #expect(try await fixture.store.partsToRemove().isEmpty)
        #expect(download.generation == 1)
        #expect(download.epoch == claim.epoch + 1)
        #expect(download.progress.durableBytes == 400)
        try await fixture.done(claim.id, .retry)
        let again = try await fixture.claim()
        #expect(again.segments == Fixture.checkpoint(400).segments)
        #expect(again.download.progress.resumedFromBytes == 400)
    }

    @Test func retryOpensTheNextRun() async throws {
        let claim = try await fixture.claimed().claim
        _ = try await fixture.store.recordOutcome(
            claim,
            .failed(Fixture.error),
            madeProgress: false,
            now: Fixture.at(10)
        )

        let new = try await fixture.done(claim.id, .retry, at: Fixture.at(50)).download
        #expect(new.run == 2)
        #expect(new.attempts == Download.Attempts())
        #expect(new.error == nil)
        #expect(new.times.startedAt == nil)
        #expect(new.times.finishedAt == nil)
        #expect(new.times.queuedAt == Fixture.at(50))
        #expect(new.times.progressedAt == Fixture.at(50))
        #expect(new.times.deadlineAt == Fixture.at(50 + 86_400))
        #expect(new.epoch >= claim.epoch)
    }

    @Test(arguments: [(100, 100), (50, 50 + 86_400), (20, 50 + 86_400)] as [(Int64, Int64)])
    func retryKeepsAChosenDeadlineThatHasNotPassed(_ chosen: Int64, expected: Int64) async throws {
        var request = DownloadRequest(url: Fixture.url())
        request.deadline = .at(Fixture.at(chosen))
        let new = NewDownload(
            id: DownloadID(at: Fixture.now),
            request: request,
            starts: true,
            deadlineAt: Fixture.at(chosen)
        )
        _ = try await fixture.store.create(new, now: Fixture.now)
        try await fixture.done(new.id, .cancel)

        let retried = try await fixture.done(new.id, .retry, at: Fixture.at(50)).download
        #expect(retried.times.deadlineAt == Fixture.at(expected))
    }
}
