import Core
import TestSupport
import Testing

@Suite struct DownloadTransitionTests {
    private static let start = Timestamp(milliseconds: 1_000_000)

    private static func at(_ seconds: Int64) -> Timestamp { start + .seconds(seconds) }

    private static func download(_ state: DownloadState, session: String? = nil) -> Download {
        with(
            Download(
                id: DownloadID(first: start),
                request: with(DownloadRequest(url: "https://a.example/file")) {
                    $0.session = session.flatMap { SessionName($0) }
                },
                state: state,
                times: Download.Times(createdAt: start, deadlineAt: at(60))
            )
        ) {
            if state == .waiting { $0.waitingFor = .retry }
            if state == .paused { $0.times.pausedAt = start }
            if state.isTerminal { $0.times.finishedAt = start }
        }
    }

    private static func changed(_ old: Download, _ state: DownloadState) -> Download {
        with(old) { $0.state = state }
    }

    @Test(arguments: DownloadState.allCases, DownloadState.allCases)
    func onlyTheEndAndTheReturnOfADownloadChangeItsSession(_ old: DownloadState, _ new: DownloadState) throws {
        let download = Self.download(old, session: "s")
        let name = try #require(SessionName("s"))
        let effect = download.transition(to: Self.changed(download, new), at: Self.at(1)).session

        switch (old.isTerminal, new.isTerminal) {
        case (false, true): #expect(effect == .closes(name))
        case (true, false): #expect(effect == .opens(name))
        default: #expect(effect == .none)
        }
        let alone = Self.download(old)
        #expect(alone.transition(to: Self.changed(alone, new), at: Self.at(1)).session == .none)
    }

    @Test func aMoveNamesBothSessions() {
        let (old, new) = (Self.download(.queued, session: "a"), Self.download(.queued, session: "b"))

        let effect = old.transition(to: new, at: Self.at(1)).session
        #expect(effect == .moves(from: SessionName("a"), to: SessionName("b")))
    }

    @Test func everyTransitionCountsOneRevision() {
        let old = Self.download(.running)
        let new = old.transition(to: Self.changed(old, .queued), at: Self.at(7)).download

        #expect(new.revision == old.revision + 1 && new.times.updatedAt == Self.at(7))
    }

    @Test func theTimeOfAPauseCountsForNoLimit() {
        let paused = Self.download(.paused)
        let resumed = paused.transition(to: Self.changed(paused, .queued), at: Self.at(30)).download

        #expect(resumed.times.pausedAt == nil)
        #expect(resumed.times.deadlineAt == Self.at(90))
        #expect(resumed.times.progressedAt == paused.times.progressedAt + .seconds(30))
    }

    @Test func aQueuedDownloadWaitsForItsTimeUnlessItHasStarted() {
        var (queued, running) = (Self.download(.paused), Self.download(.running))
        (queued.request.notBefore, running.request.notBefore) = (Self.at(50), Self.at(50))
        let postponed = queued.transition(to: Self.changed(queued, .queued), at: Self.at(1))
        let interrupted = running.transition(to: Self.changed(running, .queued), at: Self.at(1))

        #expect(postponed.download.state == .waiting && postponed.download.waitingFor == .schedule)
        #expect(postponed.download.times.nextAttemptAt == Self.at(50) && !postponed.wakesScheduler)
        #expect(interrupted.download.state == .queued && interrupted.wakesScheduler)
    }

    @Test func anInterruptedDownloadKeepsItsPlaceInTheQueue() {
        var (running, waiting) = (Self.download(.running), Self.download(.waiting))
        (running.times.queuedAt, waiting.times.queuedAt) = (Self.start, Self.start)

        #expect(
            running.transition(to: Self.changed(running, .queued), at: Self.at(9)).download.times.queuedAt == Self.start
        )
        #expect(
            waiting.transition(to: Self.changed(waiting, .queued), at: Self.at(9)).download.times.queuedAt == Self.at(9)
        )
    }

    @Test func aWaitKeepsItsLengthWhenTheClockIsSetBack() {
        var waiting = Self.download(.waiting)
        waiting.times.updatedAt = Self.at(100)
        waiting.times.nextAttemptAt = Self.at(110)

        #expect(waiting.transition(to: waiting, at: Self.at(20)).download.times.nextAttemptAt == Self.at(30))
    }
}
