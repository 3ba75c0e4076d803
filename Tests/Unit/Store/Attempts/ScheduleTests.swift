import Core
import Store
import StoreSupport
import TestSupport
import Testing

/// Downloads whose time is to come.
@Suite struct ScheduleTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private static func request(_ notBefore: Timestamp?) -> DownloadRequest {
        with(DownloadRequest(url: Fixture.url())) {
            $0.notBefore = notBefore
        }
    }

    private static func edit(_ notBefore: Timestamp?) -> DownloadEdit {
        var edit = DownloadEdit()
        edit.set(\.notBefore, to: notBefore)
        return edit
    }

    private static let waiting = DownloadStateMachine(state: .waiting, waitingFor: .schedule)

    @Test func aDownloadWaitsUntilItsTimeAndIsThenClaimed() async throws {
        let made = try await fixture.make(Self.request(Fixture.at(100)))

        #expect(made.machine == Self.waiting)
        #expect(made.times.nextAttemptAt == Fixture.at(100))
        #expect(try await fixture.store.nextDue() == Fixture.at(100))
        _ = try await fixture.store.sweep(now: Fixture.at(99))
        #expect(try await fixture.claim(free: 1, at: Fixture.at(99)).isEmpty)
        _ = try await fixture.store.sweep(now: Fixture.at(100))
        let claimed = try await fixture.claim(at: Fixture.at(100))
        #expect(claimed.claim.id == made.id)
        // The wait is held against nobody.
        #expect(claimed.download.times.progressedAt == Fixture.at(100))
    }

    @Test func aTimeThatHasPassedHoldsNothingBack() async throws {
        #expect(try await fixture.make(Self.request(Fixture.now)).state == .queued)
        #expect(try await fixture.make(Self.request(Fixture.at(-9))).state == .queued)
    }

    @Test func aQueuedDownloadIsPutOffAndCalledBack() async throws {
        let id = try await fixture.make().id

        let put = try await fixture.done(id, nil, Self.edit(Fixture.at(50))).download
        #expect(put.machine == Self.waiting)
        #expect(put.times.nextAttemptAt == Fixture.at(50))
        let later = try await fixture.done(id, nil, Self.edit(Fixture.at(70))).download
        #expect(later.times.nextAttemptAt == Fixture.at(70))
        let back = try await fixture.done(id, nil, Self.edit(nil), at: Fixture.at(9)).download
        #expect(back.state == .queued)
        #expect(back.times.nextAttemptAt == nil)
        #expect(try fixture.events(of: id) == ["download.created"])
    }

    @Test func aPauseOutlastsNoSchedule() async throws {
        let id = try await fixture.make(Self.request(Fixture.at(100)), starts: false).id

        let resumed = try await fixture.done(id, .resume, at: Fixture.at(10)).download
        #expect(resumed.machine == Self.waiting)
        #expect(resumed.times.nextAttemptAt == Fixture.at(100))
        try await fixture.done(id, .pause, at: Fixture.at(20))
        #expect(try await fixture.done(id, .resume, at: Fixture.at(200)).download.state == .queued)
    }

    @Test func aResumeBeforeNotBeforeStartsTheDownload() async throws {
        let id = try await fixture.make(Self.request(Fixture.at(100))).id

        let resumed = try await fixture.done(id, .resume, at: Fixture.at(10)).download
        #expect(resumed.state == .queued)
        #expect(resumed.request.notBefore == nil)
    }

    @Test func aDownloadThatWaitsForAnotherCauseStillWaitsForNotBefore() async throws {
        let id = try await fixture.download(at: DownloadStateMachine(state: .waiting, waitingFor: .retry)).id
        let edited = try await fixture.done(id, nil, Self.edit(Fixture.at(500))).download
        #expect(edited.waitingFor == .retry)

        _ = try await fixture.store.sweep(now: Fixture.at(60))
        #expect(try await fixture.download(id).machine == Self.waiting)
    }

    @Test func theDeadlineEndsWhatWaitsForItsTime() async throws {
        var request = Self.request(Fixture.at(100))
        request.deadline = .at(Fixture.at(86_400))
        let id = try await fixture.make(request).id
        try await fixture.done(id, nil, Self.edit(Fixture.at(90_000)))

        #expect(try await fixture.store.nextDue() == Fixture.at(86_400))
        _ = try await fixture.store.sweep(now: Fixture.at(86_400))
        let failed = try await fixture.download(id)
        #expect(failed.state == .failed)
        #expect(failed.error?.error.code == .deadlineExceeded)
    }

    @Test func theServicesDeadlineCountsFromItsTime() async throws {
        let id = try await fixture.make().id

        let put = try await fixture.done(id, nil, Self.edit(Fixture.at(86_400 * 30))).download
        #expect(put.times.deadlineAt == Fixture.at(86_400 * 31))
    }
}

/// What the clock counts against a download, and what it does not.
@Suite struct IdleTimeTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    @Test func aPauseIsLeftOutOfDeadlineAndProgress() async throws {
        let old = try await fixture.claimed()
        try await fixture.done(old.claim.id, .pause, at: Fixture.at(10))

        let new = try await fixture.done(old.claim.id, .resume, at: Fixture.at(110)).download
        #expect(new.times.deadlineAt == old.download.times.deadlineAt + .seconds(100))
        #expect(new.times.progressedAt == old.download.times.progressedAt + .seconds(100))
        #expect(new.times.pausedAt == nil)
    }

    /// A week without a free slot must not leave the first failure without a retry.
    @Test func timeInTheQueueIsNoTimeWithoutProgressUnlessTheLastAttemptFailed() async throws {
        let made = try await fixture.make()
        var edit = DownloadEdit()
        edit.labels = .set(JSONText(canonical: "{}"))
        try await fixture.done(made.id, nil, edit, at: Fixture.at(300))

        let first = try await fixture.claim(at: Fixture.at(1000))
        #expect(first.download.times.progressedAt == Fixture.at(1000))
        _ = try await fixture.store.recordOutcome(
            first.claim,
            Fixture.deferred(.retry, until: Fixture.at(1020)),
            madeProgress: false,
            now: Fixture.at(1010)
        )
        _ = try await fixture.store.sweep(now: Fixture.at(1020))
        let second = try await fixture.claim(at: Fixture.at(2000))
        #expect(second.download.times.progressedAt == Fixture.at(1000))
    }

    /// A service that was off for a day must not leave the next failure without a retry.
    @Test func theTimeBetweenTwoProcessesIsNoTimeWithoutProgress() async throws {
        try await fixture.make()
        let claimed = try await fixture.claim(at: Fixture.at(10))
        _ = try await fixture.store.recover(after: .all, node: "next", now: Fixture.at(500))

        let new = try await fixture.claim(at: Fixture.at(700))
        #expect(new.claim.id == claimed.claim.id)
        #expect(new.download.times.progressedAt == Fixture.at(700))
    }

    @Test func aRetryThatCameDueWhileNoProcessRanDoesNotCountThatTime() async throws {
        let claim = try await fixture.claimed().claim
        _ = try await fixture.store.recordOutcome(
            claim,
            Fixture.deferred(.retry, until: Fixture.at(60)),
            madeProgress: false,
            now: Fixture.at(10)
        )
        _ = try await fixture.store.sweep(now: Fixture.at(1060))

        let new = try await fixture.claim(at: Fixture.at(1060)).download
        #expect(new.times.progressedAt == Fixture.at(1000))
    }

    @Test func anEditWhilePausedEndsNoPause() async throws {
        let old = try await fixture.make(starts: false)
        var edit = DownloadEdit()
        edit.set(\.maxBytes, to: 5)
        let edited = try await fixture.done(old.id, nil, edit, at: Fixture.at(10)).download
        #expect(edited.times.pausedAt == Fixture.now)

        let new = try await fixture.done(old.id, .resume, at: Fixture.at(100)).download
        #expect(new.times.deadlineAt == old.times.deadlineAt + .seconds(100))
    }

    @Test func aDeadlineThatTheClientChoseDoesNotMove() async throws {
        let old = try await fixture.make(starts: false)
        var edit = DownloadEdit()
        edit.set(\.deadline, to: .at(Fixture.at(1000)))
        try await fixture.done(old.id, nil, edit)

        #expect(
            try await fixture.done(old.id, .resume, at: Fixture.at(100)).download.times.deadlineAt == Fixture.at(1000)
        )
    }

    @Test func aClockThatWentBackTakesNothingAway() async throws {
        let old = try await fixture.make(starts: false)

        let new = try await fixture.done(old.id, .resume, at: Fixture.at(-100)).download
        #expect(new.times.deadlineAt == old.times.deadlineAt)
        #expect(new.times.progressedAt == old.times.progressedAt)
    }

    /// The origin cannot be blamed for a full disk, nor for a user who was away.
    @Test(arguments: WaitingFor.allCases)
    func aWaitThatIsNotTheOriginsIsNoTimeWithoutProgress(_ reason: WaitingFor) async throws {
        let claim = try await fixture.claimed().claim
        _ = try await fixture.store.recordOutcome(
            claim,
            Fixture.deferred(reason, until: nil),
            madeProgress: false,
            now: Fixture.at(10)
        )
        var edit = DownloadEdit()
        edit.labels = .set(JSONText(canonical: "{}"))
        try await fixture.done(claim.id, nil, edit, at: Fixture.at(50))

        let new = try await fixture.done(claim.id, .resume, at: Fixture.at(110)).download
        let isCounted = ![.space, .io, .credentials, .schedule, .resume].contains(reason)
        #expect(new.times.progressedAt == Fixture.at(isCounted ? 0 : 100))
        #expect(new.times.deadlineAt == Fixture.at(86_400))
    }
}
