import Core
import Store
import Testing

/// What the clock counts against a download, and what it does not.
@Suite struct IdleTimeTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    @Test func aPauseIsLeftOutOfDeadlineAndProgress() async throws {
        let old = try await fixture.make()
        try await fixture.done(old.id, .pause, at: Fixture.at(10))

        let new = try await fixture.done(old.id, .resume, at: Fixture.at(110)).download
        #expect(new.times.deadlineAt == old.times.deadlineAt + .seconds(100))
        #expect(new.times.progressedAt == old.times.progressedAt + .seconds(100))
        #expect(new.times.pausedAt == nil)
    }

    @Test func anEditWhilePausedEndsNoPause() async throws {
        let old = try await fixture.make(starts: false)
        var edit = DownloadEdit()
        edit.maxBytes = .set(5)
        let edited = try await fixture.done(old.id, nil, edit, at: Fixture.at(10)).download
        #expect(edited.times.pausedAt == Fixture.now)

        let new = try await fixture.done(old.id, .resume, at: Fixture.at(100)).download
        #expect(new.times.deadlineAt == old.times.deadlineAt + .seconds(100))
    }

    @Test func aDeadlineThatTheClientChoseDoesNotMove() async throws {
        let old = try await fixture.make(starts: false)
        var edit = DownloadEdit()
        edit.deadline = Fixture.at(1000)
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
        _ = try await fixture.store.settle(
            claim,
            Fixture.hold(reason, until: nil),
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
