import Core
import HTTPFields
import Store
import StoreSupport
import Testing

@Suite struct CheckpointTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private func save(_ claim: Claim, _ checkpoint: Checkpoint, at time: Timestamp = Fixture.now) async throws -> Bool {
        !(try await fixture.store.checkpoint(claim, checkpoint, now: time).isLost)
    }

    @Test func progressIsHandedToTheNextClaim() async throws {
        let claim = try await fixture.claimed().claim
        #expect(try await save(claim, Fixture.checkpoint(400), at: Fixture.at(7)))

        let download = try await fixture.download(claim.id)
        #expect(download.phase == .transferring)
        #expect(download.progress == Download.Progress(durableBytes: 400, totalBytes: 1000))
        #expect(download.times.progressedAt == Fixture.at(7))
        #expect(download.source.etag == "\"v1\"")
        _ = try await fixture.store.recordOutcome(claim, .interrupted, madeProgress: true, now: Fixture.at(8))
        let next = try await fixture.claim()
        #expect(next.segments == [Segment(index: 0, start: 0, end: 1000, durableEnd: 400)])
        #expect(next.download.progress.resumedFromBytes == 400)
    }

    @Test func theMetadataOfTheOriginIsStoredWithTheBytes() async throws {
        let claim = try await fixture.claimed().claim
        var checkpoint = Fixture.checkpoint(400)
        checkpoint.source.digests = [
            Digest(algorithm: .sha256, bytes: Array(0..<32)), Digest(algorithm: .md5, bytes: Array(0..<16)),
        ]
        #expect(try await save(claim, checkpoint))

        #expect(try await fixture.download(claim.id).source == checkpoint.source)
    }

    @Test func progressIsNoRevisionAndNoEvent() async throws {
        let claimed = try await fixture.claimed()
        _ = try await save(claimed.claim, Fixture.checkpoint(400))

        #expect(try await fixture.download(claimed.claim.id).revision == claimed.download.revision)
        #expect(try fixture.events(of: claimed.claim.id) == ["download.created", "download.started"])
    }

    @Test func bytesThatTurnedOutToBeDamagedAreNotCountedAnyMore() async throws {
        let claim = try await fixture.claimed().claim
        _ = try await save(claim, Fixture.checkpoint(400))
        #expect(try await save(claim, Fixture.checkpoint(300), at: Fixture.at(9)))

        #expect(try fixture.value("SELECT durable_end FROM segment") == 300)
        let download = try await fixture.download(claim.id)
        #expect(download.progress.durableBytes == 300)
        #expect(download.times.progressedAt == Fixture.now)
    }

    @Test func segmentsAddUp() async throws {
        let claim = try await fixture.claimed().claim
        var checkpoint = Fixture.checkpoint(100)
        checkpoint.segments = [
            Segment(index: 0, start: 0, end: 500, durableEnd: 100),
            Segment(index: 1, start: 500, end: 1000, durableEnd: 700),
        ]
        #expect(try await save(claim, checkpoint))

        #expect(try await fixture.download(claim.id).progress.durableBytes == 300)
        _ = try await fixture.store.recordOutcome(claim, .interrupted, madeProgress: true, now: Fixture.now)
        #expect(try await fixture.claim().segments == checkpoint.segments)
    }

    @Test func anotherClaimIsLost() async throws {
        let claim = try await fixture.claimed().claim
        let before = try fixture.row(claim.id)
        let others = [
            Claim(id: claim.id, node: claim.node, epoch: claim.epoch - 1),
            Claim(id: claim.id, node: claim.node, epoch: claim.epoch + 1),
            Claim(id: claim.id, node: "another", epoch: claim.epoch),
            Claim(id: DownloadID(at: Fixture.now), node: claim.node, epoch: claim.epoch),
        ]

        for other in others { #expect(try await !save(other, Fixture.checkpoint(1))) }
        #expect(try await !save(claim, Fixture.checkpoint(1, generation: 2)))
        #expect(try fixture.row(claim.id) == before)
        #expect(try fixture.count("segment") == 0)
    }

    @Test func theLastWindowOfAPausedWorkerCountsAndStopsIt() async throws {
        let claim = try await fixture.claimed().claim
        try await fixture.done(claim.id, .pause)

        #expect(try await !save(claim, Fixture.checkpoint(400)))
        let download = try await fixture.download(claim.id)
        #expect(download.state == .paused)
        #expect(download.progress.durableBytes == 400)
        try await fixture.done(claim.id, .resume)
        #expect(try await !save(claim, Fixture.checkpoint(500)))
        #expect(try await fixture.download(claim.id).progress.durableBytes == 500)
    }

    @Test func afterACancelAWorkerIsLost() async throws {
        for keepsPartial in [false, true] {
            let claim = try await fixture.claimed().claim
            try await fixture.done(claim.id, .cancel, keepsPartial: keepsPartial)

            #expect(try await !save(claim, Fixture.checkpoint(400)))
            try await fixture.done(claim.id, .retry)
            #expect(try await !save(claim, Fixture.checkpoint(400)))
            _ = try await fixture.claim()
            #expect(try await !save(claim, Fixture.checkpoint(400)))
        }
    }

    @Test func afterTheNextClaimAWorkerIsLost() async throws {
        let claim = try await fixture.claimed().claim
        try await fixture.done(claim.id, .pause)
        try await fixture.done(claim.id, .resume)
        let next = try await fixture.claim().claim

        #expect(try await !save(claim, Fixture.checkpoint(400)))
        #expect(try await fixture.store.restart(claim, reason: "r", isChange: true, now: Fixture.now).isLost)
        #expect(
            try await fixture.store.publish(claim, Fixture.file(), Fixture.checkpoint(1000), now: Fixture.now).isLost
        )
        #expect(
            try await fixture.store.recordOutcome(claim, .interrupted, madeProgress: false, now: Fixture.now).isLost
        )
        #expect(try await save(next, Fixture.checkpoint(400)))
    }

    @Test func aRestartBeginsANewGeneration() async throws {
        let claim = try await fixture.claimed().claim
        _ = try await save(claim, Fixture.checkpoint(400))

        #expect(try await fixture.store.restart(claim, reason: "changed", isChange: true, now: Fixture.now).taken == 2)
        let download = try await fixture.download(claim.id)
        #expect(download.progress == Download.Progress())
        #expect(download.source == Download.Source())
        #expect(download.attempts.restarts == 1)
        #expect(download.state == .running)
        #expect(try fixture.events(of: claim.id).last == "download.restarted")
        #expect(try await !save(claim, Fixture.checkpoint(500)))
        #expect(try await save(claim, Fixture.checkpoint(10, generation: 2)))
    }

    @Test func aRestartOfAFileThatDidNotChangeIsNotCounted() async throws {
        let claim = try await fixture.claimed().claim
        _ = try await fixture.store.restart(claim, reason: "not_resumable", isChange: false, now: Fixture.now)

        #expect(try await fixture.download(claim.id).attempts.restarts == 0)
        #expect(try await fixture.download(claim.id).generation == 2)
    }

    @Test(arguments: [false, true])
    func bytesThatWereThereBeforeForgiveNoFailure(isProgress: Bool) async throws {
        let first = try await fixture.claimed().claim
        _ = try await fixture.store.recordOutcome(first, Fixture.deferred(), madeProgress: false, now: Fixture.now)
        try await fixture.done(first.id, .resume)
        let claim = try await fixture.claim().claim
        var checkpoint = Fixture.checkpoint(400)
        checkpoint.isProgress = isProgress
        _ = try await fixture.store.checkpoint(claim, checkpoint, now: Fixture.at(9))

        let download = try await fixture.download(claim.id)
        #expect(download.progress.durableBytes == 400)
        #expect(download.attempts.withoutProgress == (isProgress ? 0 : 1))
        #expect(download.times.progressedAt == (isProgress ? Fixture.at(9) : Fixture.now))
    }

    /// With nothing durable the next attempt plans anew: a stretch of an old plan would claim bytes that are not there.
    @Test func anOldPlanLeavesNoSegmentBehind() async throws {
        let claim = try await fixture.claimed().claim
        var planned = Fixture.checkpoint(0)
        planned.segments = [
            Segment(index: 0, start: 0, end: 500, durableEnd: 0),
            Segment(index: 1, start: 500, end: 800, durableEnd: 500),
            Segment(index: 2, start: 800, end: 1000, durableEnd: 800),
        ]
        #expect(try await save(claim, planned))
        var anew = Fixture.checkpoint(0)
        anew.segments = [
            Segment(index: 0, start: 0, end: 700, durableEnd: 10),
            Segment(index: 1, start: 700, end: 1000, durableEnd: 710),
        ]
        #expect(try await save(claim, anew))

        _ = try await fixture.store.recordOutcome(claim, .interrupted, madeProgress: true, now: Fixture.now)
        let next = try await fixture.claim()
        #expect(next.segments == anew.segments)
        #expect(next.download.progress.durableBytes == 20)
    }
}
