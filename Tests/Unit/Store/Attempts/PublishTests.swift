import Core
import Store
import StoreSupport
import TestSupport
import Testing

@Suite struct PublishTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private func publish(_ claim: Claim, _ path: String = "file") async throws -> FencedResult<Bool> {
        try await fixture.store.publish(claim, Fixture.file(path), Fixture.checkpoint(1000), now: Fixture.now)
    }

    @Test func theFileIsRecordedBeforeItIsMoved() async throws {
        let claim = try await fixture.claimed().claim
        #expect(try await publish(claim).taken)

        let download = try await fixture.download(claim.id)
        #expect(download.phase == .publishing)
        #expect(download.file == Fixture.file())
        #expect(download.progress == Download.Progress(durableBytes: 1000, totalBytes: 1000))
    }

    @Test func aNameIsReservedForOne() async throws {
        let first = try await fixture.claimed().claim
        let second = try await fixture.claimed().claim
        #expect(try await publish(first).taken)

        #expect(try await !publish(second).taken)
        #expect(try await fixture.download(second.id).phase == .probing)
        #expect(try await publish(second, "file (1)").taken)
        #expect(try await publish(first).taken)
        #expect(try await publish(first, "file (2)").taken)
    }

    @Test func aNameIsReservedBelowItsRootAlone() async throws {
        let first = try await fixture.claimed().claim
        let second = try await fixture.claimed().claim
        var elsewhere = Fixture.file("file")
        elsewhere.root = try #require(RootName("media"))
        _ = try await publish(first)

        let checkpoint = Fixture.checkpoint(1000)
        #expect(try await fixture.store.publish(second, elsewhere, checkpoint, now: Fixture.now).taken)
        #expect(try await fixture.download(second.id).file?.root == elsewhere.root)
        for claim in [first, second] {
            _ = try await fixture.store.recordOutcome(claim, .completed, madeProgress: true, now: Fixture.now)
            #expect(try await !fixture.store.hasLostFile(fixture.download(claim.id)))
        }
    }

    @Test func theNameIsFreeOnceItsDownloadHasEnded() async throws {
        let first = try await fixture.claimed().claim
        _ = try await publish(first)
        _ = try await fixture.store.recordOutcome(first, .completed, madeProgress: true, now: Fixture.now)
        let second = try await fixture.claimed().claim

        #expect(try await publish(second).taken)
    }

    @Test func aFileBelongsToItsCompletedDownloadAndToNoOther() async throws {
        let claim = try await fixture.claimed().claim
        let other = try await fixture.make()
        _ = try await publish(claim)
        #expect(try await !fixture.store.isFileOfAnother(than: other.id, at: "file"))
        _ = try await fixture.store.recordOutcome(claim, .completed, madeProgress: true, now: Fixture.now)

        #expect(try await fixture.store.isFileOfAnother(than: other.id, at: "file"))
        #expect(try await !fixture.store.isFileOfAnother(than: claim.id, at: "file"))
        #expect(try await !fixture.store.isFileOfAnother(than: other.id, at: "elsewhere"))
        let root = try #require(RootName("media"))
        #expect(try await !fixture.store.isFileOfAnother(than: other.id, at: "file", below: root))
    }

    @Test func aNameBelongsToTheLastDownloadThatTookIt() async throws {
        let first = try await fixture.claimed().claim
        _ = try await publish(first)
        let early = try await fixture.store.recordOutcome(first, .completed, madeProgress: true, now: Fixture.now).taken
        #expect(try await !fixture.store.hasLostFile(early))

        let second = try await fixture.claimed().claim
        _ = try await publish(second)
        #expect(try await fixture.store.mayHaveLostFile(early))
        #expect(try await !fixture.store.hasLostFile(early))
        let late = try await fixture.store.recordOutcome(second, .completed, madeProgress: true, now: Fixture.now).taken

        #expect(try await fixture.store.hasLostFile(early))
        #expect(try await !fixture.store.hasLostFile(late))
    }

    @Test func aFailedPublicationTakesNoNameFromACompletedDownload() async throws {
        let first = try await fixture.claimed().claim
        _ = try await publish(first)
        let done = try await fixture.store.recordOutcome(first, .completed, madeProgress: true, now: Fixture.now).taken
        let second = try await fixture.claimed().claim
        _ = try await publish(second)
        _ = try await fixture.store.recordOutcome(
            second,
            .failed(Fixture.error),
            madeProgress: false,
            now: Fixture.at(1)
        )

        #expect(try await !fixture.store.mayHaveLostFile(done))
    }

    /// Completes a download with a file, which it skipped or fetched.
    private func complete(
        isSkipped: Bool,
        etag: String? = nil,
        at time: Timestamp = Fixture.now
    ) async throws
        -> Download
    {
        let claim = try await fixture.claimed().claim
        var file = Fixture.file()
        file.isSkipped = isSkipped
        var checkpoint = Fixture.checkpoint(1000)
        checkpoint.source = with(Download.Source()) { $0.etag = etag }
        #expect(try await fixture.store.publish(claim, file, checkpoint, now: time).taken)
        return try await fixture.store.recordOutcome(claim, .completed, madeProgress: true, now: time).taken
    }

    @Test func aSkippedFileStaysThatOfItsOwner() async throws {
        let owner = try await complete(isSkipped: false, etag: "\"a\"")
        let skipping = try await complete(isSkipped: true, at: Fixture.at(1))

        #expect(skipping.file?.isSkipped == true && skipping.heldBytes == 0)
        #expect(try await !fixture.store.hasLostFile(owner))
        #expect(try await !fixture.store.hasLostFile(skipping))
        let later = try await complete(isSkipped: false, at: Fixture.at(2))
        #expect(try await fixture.store.hasLostFile(owner))
        #expect(try await fixture.store.hasLostFile(skipping))
        #expect(try await !fixture.store.hasLostFile(later))
    }

    @Test func theLastDownloadThatKnowsItsValidatorIsFoundByItsPath() async throws {
        #expect(try await fixture.store.lastCompleted(at: "file") == nil)
        let first = try await complete(isSkipped: false, etag: "\"a\"")
        _ = try await complete(isSkipped: true, at: Fixture.at(1))
        #expect(try await fixture.store.lastCompleted(at: "file")?.id == first.id)
        let unchanged = try await complete(isSkipped: true, etag: "\"a\"", at: Fixture.at(2))
        #expect(try await fixture.store.lastCompleted(at: "file")?.id == unchanged.id)
        let fetched = try await complete(isSkipped: false, at: Fixture.at(3))

        #expect(try await fixture.store.lastCompleted(at: "file")?.id == fetched.id)
        #expect(try await fixture.store.lastCompleted(at: "other") == nil)
    }

    @Test func fortyAtOnceReserveANameOnce() async throws {
        for _ in 0..<40 { try await fixture.make() }
        let claims = try await fixture.claim(free: 40).map(\.claim)

        let winners = try await withThrowingTaskGroup(of: Int.self) { group in
            for claim in claims {
                group.addTask { [self] in try await publish(claim).taken ? 1 : 0 }
            }
            return try await group.reduce(0, +)
        }
        #expect(winners == 1)
        #expect(try fixture.count("download WHERE phase = 'publishing'") == 1)
    }

    @Test func aLostClaimReservesNoName() async throws {
        let claim = try await fixture.claimed().claim
        let other = Claim(id: claim.id, node: "another", epoch: claim.epoch)
        #expect(try await publish(other).isLost)
        let old = Fixture.checkpoint(1000, generation: 2)
        #expect(try await fixture.store.publish(claim, Fixture.file(), old, now: Fixture.now).isLost)
        try await fixture.done(claim.id, .pause)

        #expect(try await publish(claim).isLost)
        #expect(try await fixture.download(claim.id).file == nil)
    }
}

/// Downloads that wait for room on the disk.
@Suite struct SpaceTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    /// A download with 400 bytes of `total` that waits for space until an instant.
    private func waiting(
        _ total: Int64?,
        priority: Int = 0,
        root: RootName = .downloads,
        until time: Timestamp = Fixture.now
    ) async throws
        -> DownloadID
    {
        var request = DownloadRequest(url: Fixture.url())
        request.root = root
        request.priority = Priority(clamping: priority)
        try await fixture.make(request)
        let claim = try await fixture.claim().claim
        _ = try await fixture.store.checkpoint(claim, Fixture.checkpoint(400, of: total), now: Fixture.now)
        let deferral = Fixture.deferred(.space, until: time)
        _ = try await fixture.store.recordOutcome(claim, deferral, madeProgress: false, now: Fixture.now)
        return claim.id
    }

    private func queued() async throws -> [DownloadID] {
        try await fixture.store.downloads(DownloadFilter(states: [.queued]), before: nil, limit: 100).map(\.id)
    }

    @Test func aPauseThatEndsFurtherAheadThanItCouldIsOver() async throws {
        let id = try await waiting(1000, until: Fixture.at(30))

        _ = try await fixture.store.releaseSpace(10_000, now: Fixture.at(20))
        #expect(try await queued().isEmpty)
        _ = try await fixture.store.releaseSpace(10_000, now: Fixture.at(-3600))
        #expect(try await queued() == [id])
    }

    @Test func theClockAloneReleasesNoDownloadThatWaitsForSpace() async throws {
        let id = try await waiting(1000, until: Fixture.at(30))

        #expect(try await fixture.store.nextDue() == (try await fixture.download(id)).times.deadlineAt)
        _ = try await fixture.store.sweep(now: Fixture.at(1000))
        #expect(try await fixture.download(id).waitingFor == .space)
        #expect(try await fixture.store.releaseSpace(nil, now: Fixture.at(1000)))
        #expect(try await queued().isEmpty)
    }

    @Test func theyGoOnInTheOrderOfTheirPriorityAsFarAsTheRoomGoes() async throws {
        let low = try await waiting(1400, priority: -1)
        let large = try await waiting(100_000)
        let high = try await waiting(1400, priority: 1)
        let unknown = try await waiting(nil)

        #expect(try await fixture.store.releaseSpace(1999, now: Fixture.at(1)))
        #expect(try await Set(queued()) == [high, unknown])
        #expect(try await fixture.store.releaseSpace(1000, now: Fixture.at(1)))
        #expect(try await Set(queued()) == [high, unknown, large])
        #expect(try await !fixture.store.releaseSpace(0, now: Fixture.at(1)))
        #expect(try await Set(queued()) == [high, unknown, large, low])
    }

    @Test func eachRootHasItsOwnRoom() async throws {
        let media = try #require(RootName("media"))
        let (plain, other) = (try await waiting(1400), try await waiting(1400, root: media))

        #expect(try await fixture.store.rootsShortOfSpace() == [.downloads, media])
        #expect(try await !fixture.store.releaseSpace(.max, of: media, now: Fixture.at(1)))
        #expect(try await queued() == [other])
        #expect(try await fixture.store.rootsShortOfSpace() == [.downloads])
        #expect(try await !fixture.store.releaseSpace(.max, now: Fixture.at(1)))
        #expect(try await Set(queued()) == [plain, other])
        #expect(try await fixture.store.rootsShortOfSpace().isEmpty)
    }

    @Test func aRecentlyTriedDownloadAlsoWaitsForItsDelay() async throws {
        let id = try await waiting(1000, until: Fixture.at(30))

        #expect(try await fixture.store.releaseSpace(.max, now: Fixture.at(29)))
        #expect(try await queued().isEmpty)
        #expect(try await !fixture.store.releaseSpace(.max, now: Fixture.at(30)))
        #expect(try await queued() == [id])
    }
}
