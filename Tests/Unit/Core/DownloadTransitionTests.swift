import Core
import TestSupport
import Testing

@Suite struct DownloadTransitionTests {
    private static func changed(_ old: Download, _ state: DownloadState) -> Download {
        with(old) { $0.state = state }
    }

    @Test(arguments: DownloadState.allCases, DownloadState.allCases)
    func onlyTheEndAndTheReturnOfADownloadChangeItsSession(_ old: DownloadState, _ new: DownloadState) throws {
        let download = Download.sample(old, session: "s")
        let name = try #require(SessionName("s"))
        let effect = download.transition(to: Self.changed(download, new), at: Download.at(1)).session

        switch (old.isTerminal, new.isTerminal) {
        case (false, true): #expect(effect == .closes(name))
        case (true, false): #expect(effect == .opens(name))
        default: #expect(effect == .none)
        }
        let alone = Download.sample(old)
        #expect(alone.transition(to: Self.changed(alone, new), at: Download.at(1)).session == .none)
    }

    @Test func aMoveNamesBothSessions() {
        let (old, new) = (Download.sample(.queued, session: "a"), Download.sample(.queued, session: "b"))

        let effect = old.transition(to: new, at: Download.at(1)).session
        #expect(effect == .moves(from: SessionName("a"), to: SessionName("b")))
    }

    @Test func everyTransitionCountsOneRevision() {
        let old = Download.sample(.running)
        let new = old.transition(to: Self.changed(old, .queued), at: Download.at(7)).download

        #expect(new.revision == old.revision + 1 && new.times.updatedAt == Download.at(7))
    }

    @Test func theTimeOfAPauseCountsForNoLimit() {
        let paused = Download.sample(.paused)
        let resumed = paused.transition(to: Self.changed(paused, .queued), at: Download.at(30)).download

        #expect(resumed.times.pausedAt == nil)
        #expect(resumed.times.deadlineAt == Download.at(90))
        #expect(resumed.times.progressedAt == paused.times.progressedAt + .seconds(30))
    }

    @Test func aQueuedDownloadWaitsForItsTimeUnlessItHasStarted() {
        var (queued, running) = (Download.sample(.paused), Download.sample(.running))
        (queued.request.notBefore, running.request.notBefore) = (Download.at(50), Download.at(50))
        let postponed = queued.transition(to: Self.changed(queued, .queued), at: Download.at(1))
        let interrupted = running.transition(to: Self.changed(running, .queued), at: Download.at(1))

        #expect(postponed.download.state == .waiting && postponed.download.waitingFor == .schedule)
        #expect(postponed.download.times.nextAttemptAt == Download.at(50) && !postponed.wakesScheduler)
        #expect(interrupted.download.state == .queued && interrupted.wakesScheduler)
    }

    @Test func anInterruptedDownloadKeepsItsPlaceInTheQueue() {
        var (running, waiting) = (Download.sample(.running), Download.sample(.waiting))
        (running.times.queuedAt, waiting.times.queuedAt) = (Download.start, Download.start)

        #expect(
            running.transition(to: Self.changed(running, .queued), at: Download.at(9)).download.times.queuedAt
                == Download.start
        )
        #expect(
            waiting.transition(to: Self.changed(waiting, .queued), at: Download.at(9)).download.times.queuedAt
                == Download.at(9)
        )
    }

    @Test func aWaitKeepsItsLengthWhenTheClockIsSetBack() {
        var waiting = Download.sample(.waiting)
        waiting.times.updatedAt = Download.at(100)
        waiting.times.nextAttemptAt = Download.at(110)

        #expect(waiting.transition(to: waiting, at: Download.at(20)).download.times.nextAttemptAt == Download.at(30))
    }

    @Test func theLastEventOfADownloadHasTheCallbackThatItsRowForgets() {
        let (old, new) = (Download.sample(.running) { $0.request.callbackURL = .sealed }, Download.sample(.completed))
        let transition = old.transition(to: with(new) { $0.request.callbackURL = .sealed }, at: Download.at(1))

        #expect(transition.download.request.callbackURL == .sealed)
        #expect(transition.stored.request.callbackURL.map(SealedURL.isDropped) == true)
    }
}
