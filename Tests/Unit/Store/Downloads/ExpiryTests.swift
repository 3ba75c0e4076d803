import Core
import Store
import StoreSupport
import Testing

/// Which files are past their time, and the two commits of their removal.
@Suite struct ExpiryTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private func complete(
        _ name: String,
        at seconds: Int64,
        keeping retention: FileRetention?,
        skipped: Bool = false
    ) async throws -> DownloadID {
        let claim = try await fixture.claimed().claim
        if let retention { try await keep(claim.id, retention) }
        let now = Fixture.at(seconds)
        var file = Fixture.file(name)
        file.isSkipped = skipped
        _ = try await fixture.store.publish(claim, file, Fixture.checkpoint(1000), now: now)
        _ = try await fixture.store.recordOutcome(claim, .completed, madeProgress: true, now: now)
        return claim.id
    }

    private func keep(_ id: DownloadID, _ retention: FileRetention) async throws {
        var edit = DownloadEdit()
        edit.retention.period = .set(retention)
        try await fixture.done(id, nil, edit)
    }

    private func due(
        at now: Int64,
        proven: Int64? = nil,
        steadySince: Int64 = 1 << 40,
        keeping period: Duration? = nil
    ) async throws -> [DownloadID] {
        let clock = AgeClock(
            proven: Fixture.at(proven ?? now),
            now: Fixture.at(now),
            steadySince: Fixture.at(steadySince)
        )
        return try await fixture.store.expiredFiles(keeping: period, limit: 10, at: clock).map(\.id)
    }

    @Test func aFileIsDueByItsOwnChoiceOrElseByTheSetting() async throws {
        let atOnce = try await complete("a", at: 100, keeping: .after(WholeSeconds(0)))
        let short = try await complete("b", at: 100, keeping: .after(WholeSeconds(10)))
        let until = try await complete("c", at: 100, keeping: .until(Fixture.at(120)))
        _ = try await complete("d", at: 100, keeping: .forever)
        let other = try await complete("e", at: 100, keeping: nil)

        #expect(try await due(at: 109) == [atOnce])
        #expect(try await due(at: 110) == [atOnce, short])
        #expect(try await due(at: 500) == [atOnce, short, until])
        #expect(try await due(at: 129, keeping: .seconds(30)) == [atOnce, short, until])
        #expect(try await due(at: 130, keeping: .seconds(30)) == [atOnce, short, until, other])
        #expect(try await due(at: 100, keeping: .zero) == [atOnce, other])
    }

    @Test func aFileThatWasThereBeforeIsNeverDue() async throws {
        _ = try await complete("a", at: 100, keeping: .after(WholeSeconds(0)), skipped: true)
        _ = try await complete("b", at: 100, keeping: .until(Fixture.at(120)), skipped: true)
        _ = try await complete("c", at: 100, keeping: nil, skipped: true)

        #expect(try await due(at: 9000, keeping: .zero).isEmpty)
    }

    /// "At once" needs no clock.
    @Test func whileTheClockIsInDoubtNothingIsRemovedByAge() async throws {
        let atOnce = try await complete("a", at: 100, keeping: .after(WholeSeconds(0)))
        let short = try await complete("b", at: 100, keeping: .after(WholeSeconds(10)))
        let until = try await complete("c", at: 100, keeping: .until(Fixture.at(120)))
        let other = try await complete("d", at: 100, keeping: nil)

        #expect(try await due(at: 9000, proven: 99, keeping: .seconds(30)) == [atOnce])
        #expect(try await due(at: 9000, proven: 99, keeping: .zero) == [atOnce, other])
        #expect(try await due(at: 9000, proven: 121, keeping: .seconds(30)) == [atOnce, short, until])
        // A clock that was set back.
        #expect(try await due(at: 50, keeping: .seconds(30)) == [atOnce])
    }

    @Test func anAgeSinceTheClockWasLastSetCountsAtOnce() async throws {
        let before = try await complete("a", at: 100, keeping: .after(WholeSeconds(10)))
        let after = try await complete("b", at: 200, keeping: .after(WholeSeconds(10)))
        _ = try await complete("c", at: 200, keeping: .until(Fixture.at(201)))
        let other = try await complete("d", at: 200, keeping: nil)

        #expect(try await due(at: 250, proven: 0, steadySince: 150, keeping: .seconds(20)) == [after, other])
        #expect(try await due(at: 250, proven: 0, steadySince: 50).contains(before))
    }

    @Test func aMarkedFileStaysDueAndItsEndIsAnEvent() async throws {
        let id = try await complete("a", at: 100, keeping: .after(WholeSeconds(10)))
        let seen = [try await fixture.download(id)]
        let marked = try await fixture.store.markExpired(seen, now: Fixture.at(110))

        #expect(marked.map(\.id) == [id] && marked.first?.file?.expiredAt == Fixture.at(110))
        #expect(try await fixture.download(id).file?.isExpiring == true)
        #expect(try await due(at: 0) == [id], "another process goes on with it")
        #expect(try await fixture.store.markExpired(marked, now: Fixture.at(120)) == marked)

        try await fixture.store.recordExpired(marked, now: Fixture.at(121))
        try await fixture.store.recordExpired(marked, now: Fixture.at(122))

        let file = try #require(try await fixture.download(id).file)
        #expect(file.isMissing && file.expiredAt == Fixture.at(110))
        #expect(try await due(at: 500, keeping: .zero).isEmpty)
        #expect(try fixture.count("event WHERE type = 'file.expired'") == 1)
    }

    @Test func aFileThatIsKeptLongerMeanwhileIsNotMarked() async throws {
        let id = try await complete("a", at: 100, keeping: .after(WholeSeconds(10)))
        let seen = [try await fixture.download(id)]
        try await keep(id, .forever)

        #expect(try await fixture.store.markExpired(seen, now: Fixture.at(110)).isEmpty)
        #expect(try await fixture.download(id).file?.expiredAt == nil)
    }

    @Test func theRecordOfAnExpiredFileGoesByAgeAndNoOther() async throws {
        let expired = try await complete("a", at: 100, keeping: .after(WholeSeconds(0)))
        let marked = try await complete("b", at: 100, keeping: .after(WholeSeconds(0)))
        let kept = try await complete("c", at: 100, keeping: nil)
        let downloads = [try await fixture.download(expired), try await fixture.download(marked)]
        let both = try await fixture.store.markExpired(downloads, now: Fixture.at(100))
        try await fixture.store.recordExpired([both[0]], now: Fixture.at(100))

        let ages = PurgeAges(finishedDownloads: .seconds(30))
        _ = try await fixture.store.purge(ages, now: Fixture.at(129))
        #expect(try fixture.count("download") == 3)
        _ = try await fixture.store.purge(PurgeAges(finishedDownloads: nil), now: Fixture.at(1 << 32))
        #expect(try fixture.count("download") == 3)
        _ = try await fixture.store.purge(ages, now: Fixture.at(130))
        #expect(try fixture.count("download") == 2)
        #expect(try await fixture.download(kept).file?.isMissing == false)
    }

    @Test func aDownloadTakesTheChoiceOfItsSession() async throws {
        let name = try #require(SessionName("s"))
        var settings = SessionSettings()
        settings.retention = .after(WholeSeconds(9))
        _ = try await fixture.store.setUpSession(name, settings, now: Fixture.now)
        let id = try await fixture.make(session: "s").id

        #expect(try await fixture.download(id).request.retention == .after(WholeSeconds(9)))
    }
}
