import Core
import Store
import StoreSupport
import Testing

/// Sessions that take no new downloads.
@Suite struct SessionSealTests {
    let fixture: Fixture
    let name: SessionName

    init() throws {
        fixture = try Fixture()
        name = try #require(SessionName("s"))
    }

    private func session() async throws -> Session {
        try #require(try await fixture.store.session(name)).session
    }

    @discardableResult
    private func seal(at time: Timestamp = Fixture.now) async throws -> Session {
        let settings = try await fixture.store.session(name)?.session.settings ?? SessionSettings()
        switch try await fixture.store.setUpSession(name, settings, seals: true, now: time) {
        case .made(let session), .changed(let session): return session
        case .unexpected, .unknownWebhook: throw Unexpected(what: "not sealed")
        }
    }

    private static func new(_ session: String?, key: String? = nil, size: Int64? = nil) -> NewDownload {
        var request = DownloadRequest(url: Fixture.url())
        request.session = session.flatMap { SessionName($0) }
        request.expected = Expected(sizeBytes: size)
        request.dedupeKey = key
        return Fixture.new(request)
    }

    private func finished() throws -> [String] {
        try fixture.texts("SELECT CAST(body AS TEXT) FROM event WHERE type = 'session.finished' ORDER BY seq")
    }

    @Test func aSealedSessionTakesNoNewDownload() async throws {
        let id = try await fixture.make(session: "s").id
        try await seal()

        guard case .sessionSealed = try await fixture.store.create(Self.new("s")) else {
            Issue.record("taken")
            return
        }
        #expect(try fixture.count("download") == 1)
        #expect(try fixture.count("event") == 1)
        #expect(try await session().openCount == 1)
        for action in [DownloadAction.pause, .resume, .cancel, .retry] { try await fixture.done(id, action) }
        #expect(try await session().epoch == 2)
        #expect(try await session().openCount == 1)
    }

    @Test func aRequestThatIsRepeatedFindsItsDownloadInASealedSession() async throws {
        guard case .created(let download) = try await fixture.store.create(Self.new("s", key: "k")) else {
            throw Unexpected(what: "not made")
        }
        try await seal()

        guard case .existing(let found) = try await fixture.store.create(Self.new("s", key: "k")) else {
            throw Unexpected(what: "not found")
        }
        #expect(found.id == download.id)
    }

    @Test func aSealIsCountedOnceAndKeptWhateverElseIsSaid() async throws {
        try await fixture.make(session: "s")
        let sealed = try await seal()
        #expect(sealed.revision == 2 && sealed.sealedAt == Fixture.now)

        let again = try await seal(at: Fixture.at(5))
        #expect(again == sealed)
        let limits = SessionSettings(maxConcurrent: 1)
        _ = try await fixture.store.setUpSession(name, limits, now: Fixture.at(6))
        #expect(try await session().sealedAt == Fixture.now)
        #expect(try await session().revision == 3)
    }

    @Test func aSessionCanBeSealedBeforeItsFirstDownload() async throws {
        try await seal()

        #expect(try await session().isSealed)
        guard case .sessionSealed = try await fixture.store.create(Self.new("s")) else {
            throw Unexpected(what: "taken")
        }
    }

    /// The end of the last download was already reported. The answer to the seal shows that nothing is open.
    @Test func aSealAloneFinishesNothing() async throws {
        try await fixture.done(fixture.make(session: "s").id, .cancel)
        #expect(try finished().count == 1)

        #expect(try await seal().openCount == 0)
        #expect(try finished().count == 1)
    }

    @Test func aBatchSealsTheSessionsThatItNames() async throws {
        try await fixture.make(session: "other")
        let items = [Self.new("s"), Self.new("t"), Self.new("s"), Self.new(nil)]

        let outcome = try await fixture.store.create(items, atomically: true, seals: true, now: Fixture.now)
        guard case .done(.made) = outcome else { throw Unexpected(what: "\(outcome)") }
        #expect(try fixture.texts("SELECT name FROM session WHERE sealed_at IS NOT NULL ORDER BY name") == ["s", "t"])
        #expect(try await session().openCount == 2)
        #expect(try await session().revision == 2)
    }

    @Test func aBatchThatIsRefusedSealsNothing() async throws {
        _ = try await fixture.store.setUpSession(name, SessionSettings(maxBytes: 5), now: Fixture.now)
        let items = [Self.new("t"), Self.new("s", size: 6)]

        let outcome = try await fixture.store.create(items, atomically: true, seals: true, now: Fixture.now)
        guard case .done(.refused(.quotaExceeded, at: 1)) = outcome else { throw Unexpected(what: "\(outcome)") }
        #expect(try fixture.count("session WHERE sealed_at IS NOT NULL") == 0)
    }

    @Test func aSealedSessionPreventsAnAtomicBatch() async throws {
        try await seal()
        let items = [Self.new("t"), Self.new("s")]

        let outcome = try await fixture.store.create(items, atomically: true, now: Fixture.now)
        guard case .done(.refused(.sessionSealed, at: 1)) = outcome else { throw Unexpected(what: "\(outcome)") }
        #expect(try fixture.count("download") == 0)
        let each = try await fixture.store.create(items, atomically: false, now: Fixture.now)
        guard case .done(.made(let creations)) = each, case .created = creations[0] else {
            throw Unexpected(what: "\(each)")
        }
        guard case .refused(.sessionSealed) = creations[1] else { throw Unexpected(what: "\(each)") }
    }

    /// Its limits hold for nothing any more.
    @Test func aSealedSessionGoesWithItsLastTrace() async throws {
        let ages = PurgeAges(finishedDownloads: .seconds(10))
        _ = try await fixture.store.setUpSession(name, SessionSettings(maxConcurrent: 1), now: Fixture.now)
        try await seal(at: Fixture.at(20))
        _ = try await fixture.store.purge(ages, now: Fixture.at(29))
        #expect(try await fixture.store.session(name) != nil)

        _ = try await fixture.store.purge(ages, now: Fixture.at(30))
        #expect(try await fixture.store.session(name) == nil)
        #expect(try fixture.count("session") == 0)
    }
}
