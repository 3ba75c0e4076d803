import Core
import Store
import StoreSupport
import TestSupport
import Testing

/// The bytes that the downloads of a session hold together.
@Suite struct QuotaTests {
    private let fixture: Fixture
    private let name: SessionName

    init() throws {
        fixture = try Fixture()
        name = try #require(SessionName("s"))
    }

    private func limit(to bytes: Int64?) async throws {
        _ = try await fixture.store.setUpSession(name, SessionSettings(maxBytes: bytes), now: Fixture.now)
    }

    private func used() async throws -> Int64 {
        try #require(try await fixture.store.session(name)).session.usedBytes
    }

    /// Claims the next one, and records so much of it.
    @discardableResult
    private func begun(_ durable: Int64, of total: Int64? = 1000) async throws -> ClaimedDownload {
        let claimed = try await fixture.claimed(session: "s")
        _ = try await fixture.store.checkpoint(claimed.claim, Fixture.checkpoint(durable, of: total), now: Fixture.now)
        return claimed
    }

    private func record(_ claimed: ClaimedDownload, _ outcome: ClaimOutcome) async throws {
        _ = try await fixture.store.recordOutcome(claimed.claim, outcome, madeProgress: true, now: Fixture.now)
    }

    @Test func aDownloadHoldsItsSizeWhileItRunsAndItsBytesAfterwards() async throws {
        let claimed = try await begun(300)
        #expect(try await used() == 1000)

        try await record(claimed, Fixture.deferred())
        #expect(try await used() == 300)
        _ = try await fixture.done(claimed.download.id, .cancel, keepsPartial: true)
        #expect(try await used() == 300)
        _ = try await fixture.done(claimed.download.id, .retry)
        _ = try await fixture.claim()
        #expect(try await used() == 1000)
    }

    @Test func aSizeThatIsNotKnownCountsAsItComes() async throws {
        let claimed = try await begun(300, of: nil)
        #expect(try await used() == 300)
        _ = try await fixture.store.checkpoint(claimed.claim, Fixture.checkpoint(400, of: nil), now: Fixture.now)
        #expect(try await used() == 400)
    }

    @Test func discardedBytesLeaveTheQuota() async throws {
        let claimed = try await begun(300)
        _ = try await fixture.store.restart(claimed.claim, reason: "x", isChange: true, now: Fixture.now)
        #expect(try await used() == 0)

        let second = Fixture.checkpoint(200, generation: 2)
        _ = try await fixture.store.checkpoint(claimed.claim, second, now: Fixture.now)
        _ = try await fixture.done(claimed.download.id, .cancel)
        #expect(try await used() == 0)
    }

    @Test(arguments: [false, true])
    func aDownloadThatIsDeletedOrPurgedHoldsNothing(isPurged: Bool) async throws {
        let claimed = try await fixture.claimed(session: "s")
        _ = try await fixture.store.publish(
            claimed.claim,
            Fixture.file(),
            Fixture.checkpoint(1000),
            now: Fixture.now
        )
        try await record(claimed, .completed)
        #expect(try await used() == 1000)
        if isPurged {
            let finished = try await fixture.store.finished(after: nil, limit: 5)
            #expect(try await fixture.store.deleteFinished(finished.downloads) == 1)
        } else {
            let id = claimed.download.id
            _ = try await fixture.store.delete(id, force: false, expectedRevision: nil, now: Fixture.now)
        }

        #expect(try await used() == 0)
    }

    @Test func theSumOutlivesAProcessThatDies() async throws {
        let claimed = try await begun(300)
        try await begun(100)
        fixture.store.close()
        let reopened = try Fixture.open(fixture.path)
        _ = try await reopened.recover(after: .all, node: "next", now: Fixture.now)

        #expect(try await reopened.session(name)?.session.usedBytes == 400)
        _ = try await reopened.delete(claimed.download.id, force: true, expectedRevision: nil, now: Fixture.now)
        #expect(try await reopened.session(name)?.session.usedBytes == 100)
        reopened.close()
    }

    @Test func bytesThatHaveNoRoomAreNotRecorded() async throws {
        try await limit(to: 1500)
        try await begun(10)
        let claimed = try await fixture.claimed(session: "s")
        #expect(claimed.context.hasQuota)
        await #expect(throws: StoreError.quotaExceeded) {
            try await fixture.store.checkpoint(claimed.claim, Fixture.checkpoint(10), now: Fixture.now)
        }
        await #expect(throws: StoreError.quotaExceeded) {
            let checkpoint = Fixture.checkpoint(1000)
            return try await fixture.store.publish(claimed.claim, Fixture.file(), checkpoint, now: Fixture.now)
        }
        #expect(try await fixture.download(claimed.download.id).progress == Download.Progress())
        #expect(try await used() == 1000)

        try await limit(to: 2000)
        _ = try await fixture.store.checkpoint(claimed.claim, Fixture.checkpoint(10), now: Fixture.now)
        #expect(try await used() == 2000)
    }

    @Test func aStreamKeepsTheBytesBeforeTheOneThatHasNoRoom() async throws {
        try await limit(to: 500)
        let claimed = try await begun(400, of: nil)
        await #expect(throws: StoreError.quotaExceeded) {
            try await fixture.store.checkpoint(claimed.claim, Fixture.checkpoint(600, of: nil), now: Fixture.now)
        }
        try await record(claimed, .failed(.quotaExceeded))

        #expect(try await fixture.download(claimed.download.id).progress.durableBytes == 400)
    }

    @Test func aLowerLimitTakesNothingAway() async throws {
        let claimed = try await begun(300)
        try await limit(to: 1)
        _ = try await fixture.store.checkpoint(claimed.claim, Fixture.checkpoint(900), now: Fixture.now)
        let checkpoint = Fixture.checkpoint(1000)
        _ = try await fixture.store.publish(claimed.claim, Fixture.file(), checkpoint, now: Fixture.now)
        try await record(claimed, .completed)

        #expect(try await fixture.download(claimed.download.id).state == .completed)
        #expect(try await used() == 1000)
    }

    @Test func heldBytesStayUnderALowerQuota() async throws {
        let claimed = try await begun(300)
        try await limit(to: 1)

        #expect(try await fixture.store.allowsSize(claimed.download.id, total: 1000))
        #expect(try await fixture.store.allowsSize(claimed.download.id, total: 900))
        #expect(try await !fixture.store.allowsSize(claimed.download.id, total: 1001))
    }

    /// Two of 1000 bytes with 300 each, queued one after the other, and a third of which nothing is known.
    private func queuedTwice() async throws -> (first: DownloadID, second: DownloadID, third: DownloadID) {
        var ids: [DownloadID] = []
        for second in 1...2 as ClosedRange<Int64> {
            let claimed = try await begun(300)
            try await record(claimed, Fixture.deferred(until: Fixture.at(second)))
            ids.append(claimed.download.id)
        }
        for second in 1...2 as ClosedRange<Int64> { _ = try await fixture.store.sweep(now: Fixture.at(second)) }
        let third = try await fixture.make(session: "s", at: Fixture.at(3))
        return (ids[0], ids[1], third.id)
    }

    @Test func ofThoseThatGoOnTheOneWithoutRoomFails() async throws {
        let (first, second, third) = try await queuedTwice()
        try await limit(to: 1500)
        let claimed = try await fixture.claim(free: 3, at: Fixture.at(4))
        #expect(claimed.map(\.download.id) == [first, third])
        #expect(try await used() == 1300)

        let failed = try await fixture.download(second)
        #expect(failed.state == .failed && failed.progress.durableBytes == 300)
        #expect(failed.error?.error.code == .quotaExceeded && failed.error?.isRetried == false)
        #expect(failed.attempts.count == 1 && failed.times.finishedAt == Fixture.at(4))
        #expect(try fixture.events(of: second).last == "download.failed")

        #expect(try await fixture.store.allowsSize(first, total: 1000))
        _ = try await fixture.store.checkpoint(claimed[0].claim, Fixture.checkpoint(900), now: Fixture.at(5))
        #expect(try await fixture.download(first).progress.durableBytes == 900)
    }

    @Test(.hangLimit) func aDownloadAboveTheQuotaDelaysNoOther() async throws {
        let (first, second, third) = try await queuedTwice()
        try await limit(to: 600)
        let wakes = fixture.store.notices.stream(of: .downloads)
        #expect(try await fixture.claim(free: 2, at: Fixture.at(4)).isEmpty)

        // The slots that are left over are looked for again.
        for await _ in wakes { break }
        #expect(try await fixture.claim(at: Fixture.at(4)).download.id == third)
        #expect(try await fixture.download(first).state == .failed)
        #expect(try await fixture.download(second).state == .failed)
        #expect(try await used() == 600)
    }

    @Test func aDownloadThatFailedForTheQuotaIsRetriedWhenRoomIsFree() async throws {
        let claimed = try await begun(300)
        try await record(claimed, Fixture.deferred(until: Fixture.at(1)))
        try await limit(to: 900)
        _ = try await fixture.store.sweep(now: Fixture.at(1))
        #expect(try await fixture.claim(free: 1, at: Fixture.at(1)).isEmpty)

        try await limit(to: 1000)
        try await fixture.done(claimed.download.id, .retry)
        #expect(try await fixture.claim().segments.map(\.durableEnd) == [300])
        #expect(try await used() == 1000)
    }

    @Test(arguments: [(1500, 500, true), (1500, 501, false), (1000, 1, false), (999, 0, true), (nil, 1 << 60, true)])
    func aDownloadOfAKnownSizeIsMadeWhereItHasRoom(_ limit: Int64?, _ size: Int64, _ isMade: Bool) async throws {
        try await begun(10)
        try await self.limit(to: limit)
        var request = DownloadRequest(url: Fixture.url())
        request.session = name
        request.expected = Expected(sizeBytes: size)
        let creation = try await fixture.store.create(Fixture.new(request), now: Fixture.now)

        switch creation {
        case .created: #expect(isMade)
        case .quotaExceeded: #expect(!isMade)
        default: throw Unexpected(what: "\(creation)")
        }
    }

    @Test func theFreeQuotaExcludesHeldBytes() async throws {
        try await limit(to: 1500)
        try await begun(10)
        let claimed = try await fixture.claimed(session: "s")
        let free = try await fixture.claimed()
        let id = claimed.download.id

        #expect(try await fixture.store.allowsSize(id, total: 500))
        #expect(try await !fixture.store.allowsSize(id, total: 501))
        #expect(try await fixture.store.allowsSize(free.download.id, total: .max))
        _ = try await fixture.store.checkpoint(claimed.claim, Fixture.checkpoint(10, of: 400), now: Fixture.now)
        #expect(try await fixture.store.allowsSize(id, total: 400))
        #expect(try await fixture.store.allowsSize(id, total: 500))
        #expect(try await !fixture.store.allowsSize(id, total: 501))
    }

    @Test func aSessionWithALimitOnBytesIsKept() async throws {
        try await limit(to: 5)
        _ = try await fixture.store.purge(PurgeAges(finishedDownloads: .seconds(1)), now: Fixture.at(9))
        #expect(try await fixture.store.session(name)?.session.settings.maxBytes == 5)
    }
}
