import Core
import Store
import StoreSupport
import Testing

@Suite struct PurgeTests {
    let fixture: Fixture
    private static let ages = PurgeAges(
        finishedDownloads: .seconds(30),
        failedBytes: .seconds(10),
        responses: .seconds(20),
        events: .seconds(40)
    )

    init() throws {
        fixture = try Fixture()
    }

    private func purge(at seconds: Int64, limit: Int = 500) async throws -> Purge {
        try await fixture.store.purge(Self.ages, limit: limit, now: Fixture.at(seconds))
    }

    /// That of a finished file is kept for as long as the file.
    @Test(arguments: DownloadStateMachine.allMachines)
    func onlyTheRecordOfWhatEndedWithoutAFileGoes(_ machine: DownloadStateMachine) async throws {
        let goes = machine.state.isTerminal && machine.state != .completed
        let old = try await fixture.download(at: machine)
        _ = try await purge(at: 29)
        #expect(try fixture.count("download") == 1)

        let purge = try await purge(at: 30)
        #expect(try fixture.count("download") == (goes ? 0 : 1))
        let mayHavePart = goes && old.epoch > 0
        #expect(try await fixture.store.partsToRemove() == (mayHavePart ? [old.id: old.generation] : [:]))
        #expect(purge.isComplete)
    }

    private func complete(_ name: String, at seconds: Int64) async throws -> DownloadID {
        let claim = try await fixture.claimed().claim
        let now = Fixture.at(seconds)
        _ = try await fixture.store.publish(claim, Fixture.file(name), Fixture.checkpoint(1000), now: now)
        _ = try await fixture.store.recordOutcome(claim, .completed, madeProgress: true, now: now)
        return claim.id
    }

    @Test func theFinishedOnesAreWalkedOldestFirstInSteps() async throws {
        var ids: [DownloadID] = []
        for (name, seconds) in [("a", 3), ("b", 1), ("c", 2), ("d", 2), ("e", 9)] as [(String, Int64)] {
            ids.append(try await complete(name, at: seconds))
        }
        try fixture.execute("UPDATE download SET file_digests = 'md5=x' WHERE id = ?", [ids[2].text])
        let simulation = { (position: FinishedPosition?) in
            try await self.fixture.store.finished(after: position, limit: 2)
        }

        let first = try await simulation(nil)
        let second = try await simulation(first.next)
        let third = try await simulation(second.next)

        // One that cannot be read is passed by.
        #expect(first.downloads.map(\.id) == [ids[1]])
        #expect(Set(second.downloads.map(\.id)) == [ids[3], ids[0]])
        #expect(third.downloads.map(\.id) == [ids[4]] && third.next == nil)
    }

    @Test func onlyARecordThatIsAsItWasIsDeletedWithItsFile() async throws {
        let id = try await complete("a", at: 1)
        let seen = try await fixture.store.finished(after: nil, limit: 2).downloads
        var edit = DownloadEdit()
        edit.labels = .set(JSONText(canonical: "{}"))
        try await fixture.done(id, nil, edit)

        #expect(try await fixture.store.deleteFinished(seen) == 0)
        #expect(try await fixture.store.deleteFinished([fixture.download(id)]) == 1)
        #expect(try fixture.count("download") == 0)
    }

    @Test func anAnswerOfTheFutureIsKeptForItsTimeFromNowOn() async throws {
        let replay = IdempotentOperation(request: IdempotentRequest(scope: "s", key: "k", fingerprint: [])) {
            (_: [Creation]) in
            StoredResponse(status: 201, location: nil, etag: nil, body: [])
        }
        let new = Fixture.new(DownloadRequest(url: Fixture.url()), now: Fixture.at(1_000_000))
        _ = try await fixture.store.create(new, replay: replay, now: Fixture.at(1_000_000))

        for seconds in [0, 19] as [Int64] {
            _ = try await purge(at: seconds)
            #expect(try fixture.count("idempotency") == 1)
        }
        _ = try await purge(at: 20)
        #expect(try fixture.count("idempotency") == 0)
    }

    @Test func theBytesOfAFailedOneGoBeforeItsRecord() async throws {
        let claim = try await fixture.claimed().claim
        _ = try await fixture.store.checkpoint(claim, Fixture.checkpoint(400), now: Fixture.now)
        _ = try await fixture.store.recordOutcome(claim, .failed(Fixture.error), madeProgress: true, now: Fixture.now)
        _ = try await purge(at: 9)
        #expect(try await fixture.store.partsToRemove().isEmpty)

        _ = try await purge(at: 10)
        #expect(try await fixture.store.partsToRemove() == [claim.id: 1])
        let download = try await fixture.download(claim.id)
        #expect(download.state == .failed)
        #expect(download.generation == 2)
        #expect(download.progress == Download.Progress())
        #expect(try fixture.count("segment") == 0)
        _ = try await purge(at: 11)
        #expect(try await fixture.store.partsToRemove() == [claim.id: 1])
    }

    @Test func anAnswerIsKeptForItsTime() async throws {
        let replay = IdempotentOperation(request: IdempotentRequest(scope: "s", key: "k", fingerprint: [])) {
            (_: [Creation]) in
            StoredResponse(status: 201, location: nil, etag: nil, body: [])
        }
        _ = try await fixture.store.create(
            Fixture.new(DownloadRequest(url: Fixture.url())),
            replay: replay,
            now: Fixture.now
        )
        _ = try await purge(at: 19)
        #expect(try fixture.count("idempotency") == 1)

        _ = try await purge(at: 20)
        #expect(try fixture.count("idempotency") == 0)
    }

    @Test func theNewestEventStaysAndNumbersGoOn() async throws {
        for _ in 0..<3 { try await fixture.make() }
        _ = try await purge(at: 39)
        #expect(try fixture.count("event") == 3)

        _ = try await purge(at: 40)
        #expect(try fixture.texts("SELECT CAST(seq AS TEXT) FROM event") == ["3"])
        _ = try await purge(at: 1000)
        try await fixture.make()
        #expect(try fixture.texts("SELECT CAST(seq AS TEXT) FROM event ORDER BY seq") == ["3", "4"])
    }

    @Test func anEventWaitsForItsDeliveries() async throws {
        try await fixture.store.configureWebhook(Fixture.url(), now: Fixture.now)
        try await fixture.done(fixture.make().id, .cancel)
        try await fixture.make()
        _ = try await purge(at: 1000)
        #expect(try fixture.texts("SELECT type FROM event ORDER BY seq") == ["download.cancelled", "download.created"])

        let due = try await fixture.store.claimDeliveries(limit: 1, perWebhook: 1, now: Fixture.at(1000))
        _ = try await purge(at: 1001)
        #expect(try fixture.count("delivery WHERE state = 'delivering'") == 1)
        try await fixture.store.recordDelivery(
            #require(due.first),
            Deliveries.attempt(.succeeded, at: Fixture.at(1001))
        )
        _ = try await purge(at: 1040)
        #expect(try fixture.count("delivery") == 1)
        _ = try await purge(at: 1041)
        #expect(try fixture.count("delivery") == 0)
        #expect(try fixture.count("delivery_attempt") == 0)
        #expect(try fixture.texts("SELECT type FROM event") == ["download.created"])
    }

    /// Or its reader could not tell by the oldest event that one after it is missing.
    @Test func theRemainingLogHasNoGaps() async throws {
        try await fixture.store.configureWebhook(Fixture.url(), now: Fixture.now)
        try await fixture.done(fixture.make().id, .cancel)
        for _ in 0..<3 { try await fixture.make() }
        _ = try await purge(at: 1000)
        #expect(try fixture.texts("SELECT CAST(seq AS TEXT) FROM event ORDER BY seq") == ["2", "3", "4", "5"])

        let due = try await fixture.store.claimDeliveries(limit: 1, perWebhook: 1, now: Fixture.at(1000))
        try await fixture.store.recordDelivery(
            #require(due.first),
            Deliveries.attempt(.succeeded, at: Fixture.at(1001))
        )
        _ = try await purge(at: 1041)
        #expect(try fixture.texts("SELECT CAST(seq AS TEXT) FROM event") == ["5"])
    }

    @Test func aSessionGoesWithTheLastTraceOfIt() async throws {
        try await fixture.done(fixture.make(session: "s").id, .cancel)
        // The newest event is kept, so the last one of the session must not be it.
        try await fixture.make()
        _ = try await purge(at: 39)
        #expect(try fixture.count("download WHERE session = 's'") == 0)
        #expect(try fixture.count("session") == 1)

        _ = try await purge(at: 40)
        #expect(try fixture.count("event WHERE session = 's'") == 0)
        #expect(try fixture.count("session") == 0)

        try await fixture.done(fixture.make(session: "s").id, .cancel)
        #expect(try fixture.count("event WHERE type = 'session.finished'") == 1)
    }

    @Test func aSessionInUseStays() async throws {
        try await fixture.make(session: "s")

        _ = try await purge(at: 1000)
        #expect(try fixture.count("session") == 1)
    }

    @Test func anEventIsPurgedThoughItsWebhookStaysDisabled() async throws {
        try await fixture.store.configureWebhook(Fixture.url(), now: Fixture.now)
        try await fixture.done(fixture.make().id, .cancel)
        try await fixture.make()
        try await fixture.store.configureWebhook(nil, now: Fixture.now)
        _ = try await purge(at: 39)
        #expect(try fixture.count("delivery WHERE state = 'pending'") == 1)

        _ = try await purge(at: 40)
        #expect(try fixture.count("delivery") == 0)
        #expect(try fixture.count("event") == 1)
    }

    @Test func aPurgeTakesNoMoreThanItsLimit() async throws {
        for _ in 0..<5 { try await fixture.done(fixture.make().id, .cancel) }

        #expect(try await !purge(at: 30, limit: 2).isComplete)
        #expect(try fixture.count("download") == 3)
        #expect(try await !purge(at: 30, limit: 2).isComplete)
        #expect(try await purge(at: 30, limit: 2).isComplete)
        #expect(try fixture.count("download") == 0)
    }
}
