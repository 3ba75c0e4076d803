import Core
import TestSupport
import Testing

/// What edits, the clock and the worker change.
@Suite struct DownloadUpdateTests {
    private static let timeLimit = Duration.seconds(100)

    @Test func anEditThatChangesNothingIsNoUpdate() {
        let old = Download.sample(.queued)

        #expect(old.update(by: DownloadEdit(), timeLimit: Self.timeLimit) == nil)
        #expect(old.update(by: with(DownloadEdit()) { $0.url = old.request.url }, timeLimit: Self.timeLimit) == nil)
    }

    @Test func aWaitForCredentialsEndsWithOtherCredentialsOrAnotherURL() throws {
        let old = Download.sample(.waiting) { ($0.waitingFor, $0.attempts.urlRefreshes) = (.credentials, 3) }
        let edit = with(DownloadEdit()) { $0.url = "https://b.example/file" }
        let update = try #require(old.update(by: edit, timeLimit: Self.timeLimit))

        #expect(update.download.state == .queued && update.event == .downloadResumed)
        #expect(update.download.attempts.urlRefreshes == 0)
        let other = with(DownloadEdit()) { $0.mirrors = ["https://c.example/file"] }
        #expect(old.update(by: other, timeLimit: Self.timeLimit)?.download.state == .waiting)
    }

    @Test func anActionDecidesWhetherAnEditedDownloadContinues() {
        let old = Download.sample(.waiting) { $0.waitingFor = .credentials }
        let edit = with(DownloadEdit()) { $0.url = "https://b.example/file" }

        let update = old.update(by: edit, hasAction: true, timeLimit: Self.timeLimit)
        #expect(update?.download.state == .waiting && update?.event == nil)
    }

    @Test(arguments: [
        with(DownloadEdit()) { $0.session = SessionName("s").map { .set($0) } },
        with(DownloadEdit()) { $0.set(\.maxBytes, to: 5) },
    ])
    func aWorkerWithOldValuesGivesTheDownloadBack(_ edit: DownloadEdit) {
        let old = Download.sample(.running)

        #expect(edit.changesAssignment(of: old.request))
        #expect(old.update(by: edit, interrupts: true, timeLimit: Self.timeLimit)?.download.state == .queued)
        #expect(old.update(by: edit, timeLimit: Self.timeLimit)?.download.state == .running)
    }

    @Test func aLaterStartMovesTheDeadlineOfTheServiceAlone() {
        let old = Download.sample(.queued)
        var edit = DownloadEdit()
        edit.set(\.notBefore, to: Download.at(50))
        #expect(old.update(by: edit, timeLimit: Self.timeLimit)?.download.times.deadlineAt == Download.at(150))

        edit.set(\.deadline, to: .at(Download.at(70)))
        #expect(old.update(by: edit, timeLimit: Self.timeLimit)?.download.times.deadlineAt == Download.at(70))
    }

    @Test(arguments: DownloadState.allCases)
    func theClockQueuesWhatWaitsAndFailsWhatIsOpen(_ state: DownloadState) {
        let old = Download.sample(state)
        let hasDeadline = [.queued, .waiting, .running].contains(state)

        #expect((old.becomingDue()?.download.state == .queued) == (state == .waiting))
        #expect((old.missingDeadline(at: Download.at(61))?.download.state == .failed) == hasDeadline)
        #expect((old.exceedingQuota(at: Download.at(1))?.download.state == .failed) == (state == .queued))
    }

    @Test func noDeadlineEndsAPublication() {
        #expect(Download.sample(.running) { $0.phase = .publishing }.missingDeadline(at: Download.at(61)) == nil)
    }

    @Test func aDownloadOfALostProcessGoesOnOrWaitsForItsUser() throws {
        let running = Download.sample(.running) { $0.epoch = 1 }
        guard case .queued(let queued)? = running.recovering(isCrash: true, at: Download.at(1)) else {
            Issue.record("it is not queued")
            return
        }
        #expect(queued.download.epoch == 2 && queued.download.attempts.crashes == 1 && queued.event == nil)

        let crashing = with(running) { $0.attempts.crashes = 2 }
        guard case .waiting(let waiting)? = crashing.recovering(isCrash: true, at: Download.at(1)) else {
            Issue.record("it does not wait")
            return
        }
        #expect(waiting.download.waitingFor == .resume && waiting.download.error?.error.code == .serviceCrashed)
        #expect(waiting.download.epoch == 2 && waiting.event == .downloadWaiting)

        let publishing = with(crashing) { $0.phase = .publishing }
        let taken = with(publishing) { $0.epoch = 2 }
        #expect(publishing.recovering(isCrash: false, at: Download.at(1)) == .publishing(taken))
        #expect(Download.sample(.queued).recovering(isCrash: false, at: Download.at(1)) == nil)
    }

    @Test(arguments: [(60, true, true), (60, false, false), (30, true, false)] as [(Int64, Bool, Bool)])
    func onlyNewBytesAreProgress(_ durable: Int64, _ isProgress: Bool, _ counts: Bool) {
        var download = Download.sample(.running) {
            ($0.phase, $0.progress.durableBytes, $0.attempts.withoutProgress) = (.probing, 30, 5)
        }
        let checkpoint = Checkpoint(
            generation: 1,
            source: Download.Source(),
            totalBytes: 100,
            segments: [Segment(index: 0, start: 0, end: 100, durableEnd: durable)],
            isProgress: isProgress
        )
        download.record(checkpoint, at: Download.at(5))

        #expect(download.progress.durableBytes == durable && download.phase == .transferring)
        #expect((download.attempts.withoutProgress == 0) == counts)
        #expect((download.times.progressedAt == Download.at(5)) == counts)
    }

    @Test func aRestartCountsIfTheFileOfTheOriginChanged() {
        let old = Download.sample(.running) { ($0.epoch, $0.progress.durableBytes) = (1, 30) }
        let changed = old.restarting(because: "changed", isChange: true)

        #expect(changed.download.attempts.restarts == 1 && changed.removals.map(\.target) == [.part(generation: 1)])
        #expect(changed.restart == Event.Restart(reason: "changed", discardedBytes: 30))
        #expect(old.restarting(because: "no_range", isChange: false).download.attempts.restarts == 0)
        #expect(old.purgingBytes().event == nil && old.purgingBytes().bytes == .discarded)
    }

    @Test func aPurgeTakesNothingThatIsKeptForeverAndAllThatIsKeptForNoTime() {
        let ages = PurgeAges(finishedDownloads: nil, failedBytes: .seconds(3), events: .seconds(7))
        let limits = ages.limits(at: Download.start)
        #expect(limits.finishedDownloads == nil && limits.events == Download.at(-7))
        #expect(limits.failedBytes == Download.at(-3))

        let atOnce = PurgeAges(finishedDownloads: .zero).limits(at: Download.start)
        #expect(atOnce.finishedDownloads.map { $0 > Download.at(1 << 40) } == true)
    }
}
