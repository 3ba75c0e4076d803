import Core
import TestSupport
import Testing

/// How attempts end.
@Suite struct DownloadOutcomeTests {
    private static let error = DownloadError(.httpServerError, message: "The server is busy.", httpStatus: 503)

    private static func running(
        _ phase: DownloadPhase = .transferring,
        _ change: (inout Download) -> Void = { _ in }
    ) -> Download {
        .sample(.running) {
            ($0.phase, $0.epoch, $0.generation) = (phase, 3, 2)
            $0.progress = Download.Progress(durableBytes: 40, totalBytes: 100)
            change(&$0)
        }
    }

    private static func ended(
        _ old: Download,
        _ outcome: ClaimOutcome,
        madeProgress: Bool = false
    ) throws -> DownloadUpdate {
        try #require(old.ending(with: outcome, madeProgress: madeProgress, at: Download.at(9)))
    }

    @Test(
        arguments: DownloadState.allCases,
        [
            .completed, .failed(error), .deferred(Deferral(reason: .retry, until: nil, error: error)),
            .urlRefreshed(DownloadEdit(), error, until: nil), .interrupted, .requeued(.space),
        ] as [ClaimOutcome]
    )
    func anAttemptEndsOnlyOnce(_ state: DownloadState, _ outcome: ClaimOutcome) {
        let old = Download.sample(state) { if state == .running { $0.phase = .publishing } }

        #expect((old.ending(with: outcome, madeProgress: false, at: Download.at(9)) != nil) == (state == .running))
    }

    @Test func aFileThatWasNotPublishedCannotComplete() {
        #expect(Self.running().ending(with: .completed, madeProgress: true, at: Download.at(9)) == nil)
    }

    @Test func aCompletionEndsWhatOnlyTheTransferNeeded() throws {
        let old = Self.running(.publishing) {
            $0.keptFile = .sample("old")
            $0.error = DownloadFailure(error: Self.error, isRetried: true, attempt: 1, at: Download.start)
            $0.request.mirrors = [.sealed]
        }
        let update = try Self.ended(old, .completed)

        #expect(update.download.keptFile == nil && update.download.error == nil)
        #expect(update.download.request.mirrors.allSatisfy(SealedURL.isDropped))
        #expect(update.bytes == .published && update.event == .downloadCompleted && update.removals.isEmpty)
    }

    @Test func theFailureOfARunNamesTheFileOfAnEarlierOne() throws {
        let update = try Self.ended(Self.running { $0.keptFile = .sample("a/old") }, .failed(Self.error))

        let failure = try #require(update.download.error)
        #expect(failure.error.message.contains("'a/old'") && failure.error.httpStatus == 503)
        #expect(!failure.isRetried && update.event == .downloadFailed)
    }

    @Test func anAttemptThatStartsOverRemovesThePartOfItsGeneration() throws {
        let old = Self.running { $0.file = .sample() }
        let deferral = Deferral(reason: .retry, until: Download.at(20), error: Self.error, startsOver: true)
        let update = try Self.ended(old, .deferred(deferral))

        #expect(update.bytes == .discarded && update.download.progress == Download.Progress())
        #expect(update.removals.map(\.target) == [.part(generation: 2)] && update.download.generation == 3)
        #expect(update.event == .downloadRestarted && update.download.file == nil)
        #expect(update.restart == Event.Restart(reason: "http_server_error", discardedBytes: 40))
    }

    @Test(arguments: [(0, 1), (40, 0)] as [(Int64, Int)])
    func aPartWithoutBytesIsRemovedIfItsQuotaIsUsedUp(_ durable: Int64, _ removals: Int) throws {
        let old = Self.running { $0.progress.durableBytes = durable }
        let update = try Self.ended(old, .failed(.quotaExceeded))

        #expect(update.removals.count == removals && update.event == .downloadFailed && update.restart == nil)
    }

    /// The rename may have happened before the failure.
    @Test func aFileThatWasBeingPublishedIsComplete() throws {
        let failed = try Self.ended(Self.running(.publishing), .failed(Self.error))
        let deferral = Deferral(reason: .io, until: nil, error: Self.error, startsOver: true)
        let over = try Self.ended(Self.running(.publishing), .deferred(deferral))
        let interrupted = try Self.ended(Self.running(), .interrupted)

        #expect((failed.bytes, over.bytes, interrupted.bytes) == (.complete, .discarded, .kept))
    }

    @Test func theServiceDoesNotRetryWhatWaitsForAUser() throws {
        for (reason, isRetried) in [(WaitingFor.resume, false), (.retry, true)] {
            let deferral = Deferral(reason: reason, until: nil, error: Self.error)
            #expect(try Self.ended(Self.running(), .deferred(deferral)).download.error?.isRetried == isRetried)
        }
    }

    @Test func suspectResponsesCountAsLongAsTheyFollowOneAnother() throws {
        let old = Self.running { $0.attempts.suspectResponses = 2 }
        for (isSuspect, count) in [(true, 3), (false, 0)] {
            let deferral = Deferral(reason: .retry, until: nil, error: Self.error, isSuspect: isSuspect)
            #expect(try Self.ended(old, .deferred(deferral)).download.attempts.suspectResponses == count)
        }
    }

    @Test func aDeferralWithoutAFailureCountsAsNoAttempt() throws {
        let old = Self.running { $0.attempts.withoutProgress = 2 }
        let update = try Self.ended(old, .deferred(Deferral(reason: .space, until: nil, error: nil)))

        #expect(update.download.attempts == old.attempts && update.event == .downloadWaiting)
    }

    @Test func countsOfConsecutiveFailuresApplyToOneURL() throws {
        let old = Self.running { ($0.attempts.sameFailures, $0.attempts.suspectResponses) = (4, 2) }
        let edit = with(DownloadEdit()) { $0.url = "https://b.example/file" }
        let update = try Self.ended(old, .urlRefreshed(edit, Self.error, until: Download.at(30)))

        #expect(update.download.attempts.sameFailures == 0 && update.download.attempts.suspectResponses == 0)
        #expect(update.download.attempts.urlRefreshes == 1 && update.download.request.url == "https://b.example/file")
        #expect(update.download.waitingFor == .retry && update.download.times.nextAttemptAt == Download.at(30))
        #expect(try Self.ended(old, .urlRefreshed(edit, Self.error, until: nil)).download.state == .queued)
    }

    /// A response of the origin does not prove that the next attempt will not crash the process.
    @Test func onlyAnOrderlyStopForgetsCrashes() throws {
        let old = Self.running { ($0.attempts.crashes, $0.attempts.crashesDespiteProgress) = (1, 4) }
        let stopped = try Self.ended(old, .interrupted)
        let failed = try Self.ended(old, .deferred(Deferral(reason: .retry, until: nil, error: Self.error)))

        #expect(stopped.download.attempts.crashesDespiteProgress == 0 && stopped.event == nil)
        #expect(failed.download.attempts.crashesDespiteProgress == 4)
        #expect(try Self.ended(old, .requeued(.space)).event == .downloadWaiting)
    }
}
