import Core
import TestSupport
import Testing

/// What the actions of clients change besides the state.
@Suite struct DownloadActionTests {
    private static func update(
        _ old: Download,
        by action: DownloadAction,
        keepsPartial: Bool = false
    ) throws -> DownloadUpdate {
        var machine = old.machine
        _ = try machine.apply(action, forced: true)
        return old.update(
            by: action,
            to: machine,
            keepsPartial: keepsPartial,
            timeLimit: .seconds(100),
            at: Download.at(9)
        )
    }

    private static func claimed(_ state: DownloadState) -> Download {
        .sample(state) {
            ($0.epoch, $0.generation, $0.run) = (2, 4, 3)
            $0.progress = Download.Progress(durableBytes: 40, totalBytes: 100)
        }
    }

    @Test func aCancelDiscardsTheBytesAndMakesTheClaimStale() throws {
        let update = try Self.update(with(Self.claimed(.running)) { $0.file = .sample() }, by: .cancel)

        #expect(update.download.epoch == 3 && update.bytes == .discarded && update.event == .downloadCancelled)
        #expect(update.removals.map(\.target) == [.part(generation: 4), .file(.sample())])
    }

    @Test func aCancelCanKeepTheBytes() throws {
        let update = try Self.update(Self.claimed(.running), by: .cancel, keepsPartial: true)

        #expect(update.download.progress.durableBytes == 40 && update.bytes == .kept && update.removals.isEmpty)
        #expect(update.download.epoch == 3)
    }

    @Test func nothingIsRemovedForADownloadThatNeverRan() throws {
        let update = try Self.update(.sample(.queued), by: .cancel)

        #expect(update.download.epoch == 0 && update.removals.isEmpty)
    }

    @Test func aRetryBeginsARunWithTheStoredBytes() throws {
        let old = with(Self.claimed(.failed)) {
            $0.attempts.count = 7
            $0.file = .sample()
        }
        let update = try Self.update(old, by: .retry)

        #expect(update.download.run == 4 && update.download.attempts == Download.Attempts())
        #expect(update.bytes == .kept && update.download.file == .sample() && update.event == .downloadResumed)
        #expect(update.download.times.progressedAt == Download.at(9))
    }

    @Test func aRetryWithoutBytesHasNoFile() throws {
        let old = with(Self.claimed(.cancelled)) {
            $0.forgetBytes()
            $0.file = .sample()
        }
        #expect(try Self.update(old, by: .retry).download.file == nil)
    }

    @Test func aCompletedDownloadKeepsItsFileWhileItIsFetchedAgain() throws {
        let update = try Self.update(with(Self.claimed(.completed)) { $0.file = .sample() }, by: .retry)

        #expect(update.download.file == nil && update.download.keptFile?.path == "file")
        #expect(update.bytes == .discarded && update.removals.isEmpty && update.restart == nil)
    }

    @Test func aNewRunHasTheDeadlineOfItsClientIfThatIsStillToCome() throws {
        for (deadline, expected) in [(50, 50), (9, 109)] as [(Int64, Int64)] {
            let old = with(Self.claimed(.failed)) {
                $0.request.deadline = .at(Download.at(deadline))
                $0.times.deadlineAt = Download.at(deadline)
            }
            #expect(try Self.update(old, by: .retry).download.times.deadlineAt == Download.at(expected))
        }
    }

    @Test func theTimeOfANewRunBeginsWithItsStart() throws {
        let old = with(Self.claimed(.failed)) { $0.request.notBefore = Download.at(500) }

        #expect(try Self.update(old, by: .retry).download.times.deadlineAt == Download.at(600))
    }

    @Test func aResumeBeforeTheStartClearsIt() throws {
        for (reason, isCleared) in [(WaitingFor.schedule, true), (.retry, false)] {
            let old = Download.sample(.waiting) {
                ($0.waitingFor, $0.request.notBefore) = (reason, Download.at(500))
                $0.attempts.crashes = 2
            }
            let new = try Self.update(old, by: .resume).download
            #expect((new.request.notBefore == nil) == isCleared && new.attempts.crashes == 0)
        }
    }
}
