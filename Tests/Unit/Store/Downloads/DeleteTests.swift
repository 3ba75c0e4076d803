import Core
import Store
import StoreSupport
import Testing

@Suite struct DeleteTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private func delete(
        _ id: DownloadID,
        force: Bool = false,
        revision: Int64? = nil
    ) async throws -> Result<Download, DownloadRefusal> {
        try await fixture.store.delete(id, force: force, expectedRevision: revision, now: Fixture.now)
    }

    @Test(arguments: DownloadStateMachine.allMachines, [false, true])
    func onlyWhatHasEndedGoesWithoutForce(_ machine: DownloadStateMachine, force: Bool) async throws {
        let old = try await fixture.download(at: machine, session: "s")

        switch try await delete(old.id, force: force) {
        case .success(let download):
            #expect(machine.state.isTerminal || force)
            #expect(download == old)
            #expect(try fixture.row(old.id).isEmpty)
            #expect(try fixture.events(of: old.id).last == "download.deleted")
            #expect(try fixture.value("SELECT open_count FROM session") == 0)
            #expect(try fixture.count("event WHERE terminal = 1") == 1)
            #expect(try fixture.count("event WHERE type = 'session.finished'") == 1)
        case .failure(.notTerminal(let download)):
            #expect(!machine.state.isTerminal && !force)
            #expect(download == old)
        case .failure(.busy): #expect(machine.phase == .publishing && force)
        case .failure: Issue.record("another answer")
        }
    }

    @Test func itsSegmentsGoAndItsWorkerIsFenced() async throws {
        let claim = try await fixture.claimed().claim
        _ = try await fixture.store.checkpoint(claim, Fixture.checkpoint(1), now: Fixture.now)
        _ = try await delete(claim.id, force: true)

        #expect(try fixture.count("segment") == 0)
        #expect(try await fixture.store.checkpoint(claim, Fixture.checkpoint(2), now: Fixture.now).isLost)
        #expect(try await fixture.store.recordOutcome(claim, .completed, madeProgress: true, now: Fixture.now).isLost)
    }

    @Test func aRefusalSaysWhy() async throws {
        let old = try await fixture.download(at: DownloadStateMachine(state: .failed))

        guard case .failure(.revisionMismatch(let current)) = try await delete(old.id, revision: 99) else {
            Issue.record("another answer")
            return
        }
        #expect(current == old)
        guard case .failure(.notFound) = try await delete(DownloadID(at: Fixture.now)) else {
            Issue.record("another answer")
            return
        }
    }
}

@Suite struct SweepTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private func wait(_ reason: WaitingFor = .retry, until time: Timestamp?) async throws -> DownloadID {
        let claim = try await fixture.claimed().claim
        _ = try await fixture.store.recordOutcome(
            claim,
            Fixture.deferred(reason, until: time),
            madeProgress: false,
            now: Fixture.now
        )
        return claim.id
    }

    @Test func dueDownloadsAreQueued() async throws {
        let due = try await wait(until: Fixture.at(60))
        let later = try await wait(until: Fixture.at(61))
        let never = try await wait(.credentials, until: nil)

        #expect(try await fixture.store.sweep(now: Fixture.at(60)).isComplete)
        #expect(try await fixture.download(due).state == .queued)
        #expect(try await fixture.download(due).times.nextAttemptAt == nil)
        #expect(try await fixture.download(later).state == .waiting)
        #expect(try await fixture.download(never).state == .waiting)
    }

    @Test(arguments: DownloadStateMachine.allMachines)
    func openDownloadsFailAtTheirDeadlineUnlessPausedOrPublishing(_ machine: DownloadStateMachine) async throws {
        let id = try await fixture.download(at: machine, session: "s").id
        try fixture.execute("UPDATE download SET next_attempt_at = NULL")
        let epoch = try await fixture.download(id).epoch
        let sweep = try await fixture.store.sweep(now: Fixture.at(86_400))

        let download = try await fixture.download(id)
        let stops = machine.state == .running && machine.phase != .publishing
        let expires = stops || [.queued, .waiting].contains(machine.state)
        #expect(sweep.stoppedEpochs == (stops ? [id: epoch] : [:]))
        #expect(download.machine == (expires ? DownloadStateMachine(state: .failed) : machine))
        #expect((download.error?.error.code == .deadlineExceeded) == expires)
        if expires {
            #expect(try fixture.events(of: id).last == "download.failed")
            #expect(try fixture.value("SELECT open_count FROM session") == 0)
        }
    }

    @Test func aWaitThatBeganLaterThanNowIsOverWhereTheClockWasSetBack() async throws {
        let delay = try await wait(until: Fixture.at(60))
        var request = DownloadRequest(url: Fixture.url())
        request.notBefore = Fixture.at(60)
        let instant = try await fixture.make(request).id

        _ = try await fixture.store.sweep(now: Fixture.at(-10))
        #expect(try await fixture.download(delay).state == .waiting)
        _ = try await fixture.store.sweep(isSetBack: true, now: Fixture.at(1))
        #expect(try await fixture.download(delay).state == .waiting)
        _ = try await fixture.store.sweep(isSetBack: true, now: Fixture.at(-10))
        #expect(try await fixture.download(delay).state == .queued)
        // What a client named is an instant, and no delay.
        #expect(try await fixture.download(instant).state == .waiting)
    }

    @Test func aWaitThatIsEditedAfterTheClockWasSetBackKeepsItsLength() async throws {
        let id = try await wait(until: Fixture.at(60))
        var edit = DownloadEdit()
        edit.labels = .set(JSONText(canonical: "{}"))

        let edited = try await fixture.done(id, nil, edit, at: Fixture.at(-3600)).download
        #expect(edited.times.nextAttemptAt == Fixture.at(-3540))
    }

    @Test func aHostIsNotHeldLongerWhereTheClockWasSetBack() async throws {
        try await fixture.store.deferClaims("a.example:443", until: Fixture.at(3600))
        try await fixture.make()
        #expect(try await fixture.claim(free: 1).isEmpty)

        #expect(try await fixture.claim(free: 1, at: Fixture.at(-1)).count == 1)
        #expect(try await fixture.store.hosts(now: Fixture.at(-1)).isEmpty)
        _ = try await fixture.store.sweep(now: Fixture.at(-1))
        #expect(try fixture.count("host") == 0)
    }

    @Test func aSweepTakesNoMoreThanItsLimit() async throws {
        for _ in 0..<5 { _ = try await wait(until: Fixture.at(60)) }

        #expect(try await !fixture.store.sweep(limit: 2, now: Fixture.at(60)).isComplete)
        #expect(try fixture.count("download WHERE state = 'queued'") == 2)
        #expect(try await !fixture.store.sweep(limit: 2, now: Fixture.at(60)).isComplete)
        #expect(try await fixture.store.sweep(limit: 2, now: Fixture.at(60)).isComplete)
        #expect(try fixture.count("download WHERE state = 'queued'") == 5)
    }

    @Test func theNextInstantIsTheEarliest() async throws {
        #expect(try await fixture.store.nextDue() == nil)
        try await fixture.make(starts: false)
        #expect(try await fixture.store.nextDue() == nil)
        _ = try await wait(until: Fixture.at(60))
        #expect(try await fixture.store.nextDue() == Fixture.at(60))
        try await fixture.store.deferClaims("a:443", until: Fixture.at(30))
        #expect(try await fixture.store.nextDue() == Fixture.at(30))

        _ = try await fixture.store.sweep(now: Fixture.at(60))
        #expect(try await fixture.store.nextDue() == Fixture.at(86_400))
    }

    @Test func theDeadlineOfARunningDownloadIsAnInstantToo() async throws {
        let claim = try await fixture.claimed().claim
        #expect(try await fixture.store.nextDue() == Fixture.at(86_400))
        _ = try await fixture.store.publish(claim, Fixture.file(), Fixture.checkpoint(1000), now: Fixture.now)
        #expect(try await fixture.store.nextDue() == nil)
    }

    @Test func theLastBytesOfAWorkerWhoseTimeIsUpAreKept() async throws {
        let claim = try await fixture.claimed().claim
        _ = try await fixture.store.sweep(now: Fixture.at(86_400))

        let result = try await fixture.store.checkpoint(claim, Fixture.checkpoint(400), now: Fixture.at(86_400))
        #expect(result.isLost)
        #expect(try await fixture.download(claim.id).progress.durableBytes == 400)
        #expect(try await fixture.download(claim.id).state == .failed)
    }

    @Test func aHostOfWhichNothingIsToBeRememberedIsForgotten() async throws {
        try await fixture.store.deferClaims("a:443", until: Fixture.at(30))
        try await fixture.store.flagHostRefusesRanges("b:443", until: Fixture.at(60))

        _ = try await fixture.store.sweep(now: Fixture.at(30))
        #expect(try fixture.count("host") == 1)
        _ = try await fixture.store.sweep(now: Fixture.at(60))
        #expect(try fixture.count("host") == 0)
    }

    @Test func aPausedDownloadIsReleasedByTheUserOnly() async throws {
        let id = try await wait(.space, until: Fixture.at(60))
        try await fixture.done(id, .pause)
        _ = try await fixture.store.sweep(now: Fixture.at(1_000_000))

        #expect(try await fixture.download(id).state == .paused)
    }
}
