import Core
import Store
import StoreSupport
import TestSupport
import Testing

@Suite struct SettleTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private func record(
        _ claim: Claim,
        _ outcome: ClaimOutcome,
        madeProgress: Bool = false,
        at time: Timestamp = Fixture.at(5)
    ) async throws -> Download {
        try await fixture.store.recordOutcome(claim, outcome, madeProgress: madeProgress, now: time).taken
    }

    @Test func aPublishedDownloadCompletes() async throws {
        var request = DownloadRequest(url: Fixture.url())
        request.credentials = SealedCredentials(bytes: [1])
        try await fixture.make(request)
        let claim = try await fixture.claim().claim
        _ = try await fixture.store.publish(claim, Fixture.file(), Fixture.checkpoint(1000), now: Fixture.now)

        let download = try await record(claim, .completed)
        #expect(download.machine == DownloadStateMachine(state: .completed))
        #expect(download.times.finishedAt == Fixture.at(5))
        #expect(download.file == Fixture.file())
        #expect(download.error == nil)
        #expect(download.request.credentials == nil)
        #expect(try await fixture.download(claim.id) == download)
        #expect(try fixture.events(of: claim.id).last == "download.completed")
    }

    @Test(arguments: [nil, 400] as [Int64?])
    func anUnpublishedDownloadDoesNotComplete(_ durable: Int64?) async throws {
        let claim = try await fixture.claimed().claim
        if let durable { _ = try await fixture.store.checkpoint(claim, Fixture.checkpoint(durable), now: Fixture.now) }
        let before = try fixture.row(claim.id)

        await #expect(throws: StoreError.self) { try await record(claim, .completed) }
        #expect(try fixture.row(claim.id) == before)
        #expect(try fixture.count("event WHERE terminal = 1") == 0)
    }

    @Test func aFailureKeepsItsCauseAndTheBytes() async throws {
        let claim = try await fixture.claimed().claim
        _ = try await fixture.store.checkpoint(claim, Fixture.checkpoint(400), now: Fixture.now)

        let download = try await record(claim, .failed(Fixture.error))
        #expect(download.state == .failed)
        #expect(
            download.error == DownloadFailure(error: Fixture.error, isRetried: false, attempt: 1, at: Fixture.at(5))
        )
        #expect(download.progress.durableBytes == 400)
        #expect(try await fixture.download(claim.id) == download)
        #expect(try fixture.events(of: claim.id).last == "download.failed")
    }

    @Test(
        arguments: [
            (.retry, "download.retrying"), (.host, "download.retrying"), (.schedule, "download.retrying"),
            (.space, "download.waiting"), (.io, "download.waiting"), (.credentials, "download.waiting"),
        ] as [(WaitingFor, String)]
    )
    func aDeferralSaysWhatItWaitsFor(_ reason: WaitingFor, type: String) async throws {
        let claim = try await fixture.claimed().claim

        let download = try await record(claim, Fixture.deferred(reason, until: Fixture.at(60)))
        #expect(download.machine == DownloadStateMachine(state: .waiting, waitingFor: reason))
        #expect(download.times.nextAttemptAt == Fixture.at(60))
        #expect(download.error?.isRetried == true)
        #expect(try fixture.events(of: claim.id).last == type)
    }

    @Test func aDeferralThatStartsOverDiscardsTheBytes() async throws {
        let claim = try await fixture.claimed().claim
        _ = try await fixture.store.checkpoint(claim, Fixture.checkpoint(400), now: Fixture.now)
        let deferral = Deferral(
            reason: .retry,
            until: Fixture.at(9),
            error: Fixture.error,
            startsOver: true,
            isSuspect: true
        )

        let download = try await record(claim, .deferred(deferral))
        #expect(download.generation == 2)
        #expect(download.progress == Download.Progress())
        #expect(download.source == Download.Source())
        #expect(download.attempts.restarts == 0)
        #expect(download.attempts.suspectResponses == 1)
        #expect(try fixture.count("segment") == 0)
        #expect(try fixture.events(of: claim.id).last == "download.restarted")
    }

    @Test func failuresAreCountedAndProgressForgivesThem() async throws {
        try await fixture.make()
        var last: Download?
        for (error, madeProgress) in [
            (Fixture.error, false), (Fixture.error, false), (DownloadError(.timeout, message: ""), false),
            (Fixture.error, true),
        ] {
            let claim = try await fixture.claim().claim
            let deferral = Deferral(reason: .retry, until: nil, error: error)
            last = try await record(claim, .deferred(deferral), madeProgress: madeProgress)
            try await fixture.done(claim.id, .resume)
            switch last?.attempts.count {
            case 2: #expect(last?.attempts.sameFailures == 2)
            case 3:
                #expect(
                    last?.attempts
                        == with(Download.Attempts()) {
                            $0.count = 3
                            $0.withoutProgress = 3
                            $0.sameFailures = 1
                        }
                )
            default: break
            }
        }
        #expect(
            last?.attempts
                == with(Download.Attempts()) {
                    $0.count = 4
                    $0.withoutProgress = 0
                    $0.sameFailures = 1
                }
        )
    }

    @Test func anInterruptionQueuesWithoutAnEvent() async throws {
        let claim = try await fixture.claimed().claim

        #expect(try await record(claim, .interrupted).machine == DownloadStateMachine(state: .queued))
        #expect(try fixture.events(of: claim.id).last == "download.started")
    }

    @Test(arguments: [.pause, .cancel] as [DownloadAction])
    func aDownloadThatTheUserStoppedIgnoresItsWorker(_ action: DownloadAction) async throws {
        for outcome in [.failed(Fixture.error), Fixture.deferred(), .interrupted] as [ClaimOutcome] {
            let claim = try await fixture.claimed().claim
            try await fixture.done(claim.id, action)
            let before = try fixture.row(claim.id)

            let result = try await fixture.store.recordOutcome(claim, outcome, madeProgress: false, now: Fixture.now)
            #expect(result.isLost)
            #expect(try fixture.row(claim.id) == before)
        }
    }

    /// All of a file is durable before it is published, whether or not its last stretch was ever recorded.
    @Test func aDownloadThatWaitsForItsHostHasNotFailed() async throws {
        let claim = try await fixture.claimed().claim
        let deferral = Deferral(reason: .host, until: Fixture.at(60), error: nil)

        let download = try await record(claim, .deferred(deferral))
        #expect(download.state == .waiting)
        #expect(download.error == nil)
        #expect(download.attempts.withoutProgress == 0)
        #expect(download.times.nextAttemptAt == Fixture.at(60))
        #expect(try fixture.events(of: claim.id).last == "download.waiting")
    }

    @Test(arguments: [.failed(Fixture.error), Fixture.deferred(), .interrupted] as [ClaimOutcome])
    func aFileThatCouldNotBeMovedKeepsItsBytes(_ outcome: ClaimOutcome) async throws {
        let claim = try await fixture.claimed().claim
        _ = try await fixture.store.checkpoint(claim, Fixture.checkpoint(400), now: Fixture.now)
        _ = try await fixture.store.publish(claim, Fixture.file(), Fixture.checkpoint(1000), now: Fixture.now)
        let state = try await record(claim, outcome).state
        if state != .queued { try await fixture.done(claim.id, state == .failed ? .retry : .resume) }

        let next = try await fixture.claim()
        #expect(next.segments == [Segment(index: 0, start: 0, end: 1000, durableEnd: 1000)])
        #expect(next.download.progress.durableBytes == 1000)
    }
}
