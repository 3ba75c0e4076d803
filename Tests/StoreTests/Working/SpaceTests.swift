import Core
import Store
import Testing

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
        until time: Timestamp = Fixture.now
    ) async throws
        -> DownloadID
    {
        let request = DownloadRequest(url: Fixture.url(), priority: Priority(clamping: priority))
        try await fixture.make(request)
        let claim = try await fixture.claim().claim
        _ = try await fixture.store.checkpoint(claim, Fixture.checkpoint(400, of: total), now: Fixture.now)
        let hold = Fixture.hold(.space, until: time)
        _ = try await fixture.store.settle(claim, hold, madeProgress: false, now: Fixture.now)
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

    @Test func theClockAloneReleasesNobody() async throws {
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

    @Test func oneThatWasTriedAMomentAgoWaitsForItsTimeToo() async throws {
        let id = try await waiting(1000, until: Fixture.at(30))

        #expect(try await fixture.store.releaseSpace(.max, now: Fixture.at(29)))
        #expect(try await queued().isEmpty)
        #expect(try await !fixture.store.releaseSpace(.max, now: Fixture.at(30)))
        #expect(try await queued() == [id])
    }
}
