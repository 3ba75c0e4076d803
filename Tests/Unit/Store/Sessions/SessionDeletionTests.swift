import Core
import Store
import StoreSupport
import Testing

/// Sessions that are deleted, and what is left of them.
@Suite struct SessionDeletionTests {
    let fixture: Fixture
    let name: SessionName

    init() throws {
        fixture = try Fixture()
        name = try #require(SessionName("s"))
    }

    private func delete(expecting revision: Int64? = nil) async throws -> SessionDeletion {
        try await fixture.store.deleteSession(name, expectedRevision: revision, now: Fixture.now)
    }

    private func setUp(_ settings: SessionSettings, seals: Bool = false) async throws -> Session {
        switch try await fixture.store.setUpSession(name, settings, seals: seals, now: Fixture.now) {
        case .made(let session), .changed(let session): return session
        case .unexpected, .unknownWebhook: throw Unexpected(what: "not set up")
        }
    }

    @Test func deletingASessionRemovesItsSettingsAndKeepsItsDownloads() async throws {
        let id = try await fixture.make(session: "s").id
        _ = try await setUp(SessionSettings(maxConcurrent: 1, labels: JSONText(canonical: "{}")), seals: true)
        try await fixture.done(id, .cancel)

        guard case .deleted = try await delete() else { throw Unexpected(what: "not deleted") }
        #expect(try await fixture.store.session(name) == nil)
        #expect(try await fixture.store.sessions(after: nil, limit: 9).isEmpty)
        guard case .notFound = try await delete() else { throw Unexpected(what: "deleted twice") }
        #expect(try await fixture.download(id).request.session == name)
        let filter = DownloadFilter(session: name)
        #expect(try await fixture.store.downloads(filter, before: nil, limit: 9).map(\.id) == [id])
    }

    @Test func aSessionWithAnOpenDownloadIsNotDeleted() async throws {
        let ids = [try await fixture.make(session: "s").id, try await fixture.make(session: "s", starts: false).id]

        guard case .notTerminal(open: 2) = try await delete() else { throw Unexpected(what: "deleted") }
        for id in ids { try await fixture.done(id, .cancel) }
        guard case .deleted = try await delete() else { throw Unexpected(what: "not deleted") }
    }

    @Test func aSessionOfAnotherRevisionIsNotDeleted() async throws {
        _ = try await setUp(SessionSettings(maxConcurrent: 1))

        guard case .revisionMismatch(let session) = try await delete(expecting: 2) else {
            throw Unexpected(what: "deleted")
        }
        #expect(session.revision == 1)
        guard case .deleted = try await delete(expecting: 1) else { throw Unexpected(what: "not deleted") }
    }

    /// Neither of an earlier one nor of one that is still to come.
    @Test(arguments: [1, 3] as [Int64])
    func aSessionOfAnotherRevisionIsNotChanged(_ expected: Int64) async throws {
        _ = try await setUp(SessionSettings(maxConcurrent: 1))
        _ = try await setUp(SessionSettings(maxConcurrent: 2))

        let changed = try await fixture.store.changeSession(
            name,
            seals: false,
            expectedRevision: expected,
            now: Fixture.now
        ) { _ in
            SessionSettings(maxConcurrent: 3)
        }

        guard case .unexpected(let session?) = changed else { throw Unexpected(what: "changed") }
        #expect(session.revision == 2)
        #expect(try await fixture.store.session(name)?.session.settings.maxConcurrent == 2)
    }

    @Test(arguments: [.absent, .revision(1), .revision(3)] as [SessionExpectation])
    func aSessionThatIsNotTheExpectedOneIsNotReplaced(_ expectation: SessionExpectation) async throws {
        _ = try await setUp(SessionSettings(maxConcurrent: 1))
        _ = try await setUp(SessionSettings(maxConcurrent: 2))

        let replaced = try await fixture.store.setUpSession(
            name,
            SessionSettings(maxConcurrent: 3),
            expecting: expectation,
            now: Fixture.now
        )

        guard case .unexpected(let session?) = replaced else { throw Unexpected(what: "replaced") }
        #expect(session.revision == 2)
        #expect(try await fixture.store.session(name)?.session.settings.maxConcurrent == 2)
    }

    /// A reported epoch is not reported again.
    @Test func aSessionThatIsMadeAgainContinuesItsEpochs() async throws {
        try await fixture.done(fixture.make(session: "s").id, .cancel)
        _ = try await setUp(SessionSettings(), seals: true)
        _ = try await delete()

        let next = try await fixture.make(session: "s", at: Fixture.at(7)).id
        let session = try #require(try await fixture.store.session(name)).session
        #expect(session.epoch == 2 && session.createdAt == Fixture.at(7) && !session.isSealed)
        #expect(session.settings == SessionSettings())
        try await fixture.done(next, .cancel)
        #expect(
            try fixture.texts("SELECT CAST(session_epoch AS TEXT) FROM event WHERE type = 'session.finished'")
                == ["1", "2"]
        )
    }

    @Test func aPutMakesItAgainAsANewOne() async throws {
        try await fixture.done(fixture.make(session: "s").id, .cancel)
        _ = try await delete()

        let settings = SessionSettings(maxConcurrent: 3)
        let setup = try await fixture.store.setUpSession(name, settings, expecting: .absent, now: Fixture.at(9))
        guard case .made(let made) = setup else { throw Unexpected(what: "not made") }
        #expect(made.settings == settings && made.createdAt == Fixture.at(9) && made.finishedAt == nil)
        #expect(try await fixture.store.session(name)?.session == made)
    }

    @Test func aRetryMakesItAgainToo() async throws {
        let id = try await fixture.make(session: "s").id
        try await fixture.done(id, .cancel)
        _ = try await delete()

        try await fixture.done(id, .retry)
        #expect(try await fixture.store.session(name)?.session.openCount == 1)
        #expect(try await fixture.store.downloads(of: name, for: .cancel) == [id])
    }

    @Test func aSessionWithoutDownloadsAndEventsIsPurged() async throws {
        let ages = PurgeAges(finishedDownloads: .seconds(10), events: .seconds(10))
        try await fixture.done(fixture.make(session: "s").id, .cancel)
        _ = try await delete()
        try await fixture.make(at: Fixture.at(100))

        _ = try await fixture.store.purge(ages, now: Fixture.at(9))
        #expect(try fixture.count("session") == 1)
        _ = try await fixture.store.purge(ages, now: Fixture.at(20))
        #expect(try fixture.count("session") == 0)
    }
}

/// What clients say of sessions.
@Suite struct SessionSettingsTests {
    private static let limits = SessionSettings(rateBytesPerSecond: 4096, maxConcurrent: 2)
    let fixture: Fixture
    let name: SessionName

    init() throws {
        fixture = try Fixture()
        name = try #require(SessionName("s"))
    }

    private func setUp(
        _ settings: SessionSettings,
        expecting expectation: SessionExpectation = .any
    ) async throws -> SessionSetup {
        try await fixture.store.setUpSession(name, settings, expecting: expectation, now: Fixture.now)
    }

    private func session() async throws -> Session {
        try #require(try await fixture.store.session(name)).session
    }

    @Test func aSessionIsMadeWithItsSettingsBeforeItsFirstDownload() async throws {
        guard case .made(let made) = try await setUp(Self.limits) else { throw Unexpected(what: "not made") }

        #expect(try await session() == made)
        #expect(made.settings == Self.limits && made.revision == 1 && made.openCount == 0)
        let claimed = try await fixture.claimed(session: "s")
        #expect(claimed.context.sessionRate == SessionRate(name: name, bytesPerSecond: 4096, revision: 1))
        #expect(try await session().settings == Self.limits)
    }

    @Test func theRevisionCountsWhatIsChangedAlone() async throws {
        try await fixture.make(session: "s")
        #expect(try await session().settings == SessionSettings())

        _ = try await setUp(SessionSettings())
        #expect(try await session().revision == 1)
        _ = try await setUp(SessionSettings(labels: JSONText(canonical: #"{"a":"b"}"#)))
        _ = try await setUp(Self.limits)
        #expect(try await session().revision == 3)
        #expect(try await session().settings == Self.limits)
    }

    @Test func aSessionThatIsNotAsExpectedStaysAsItIs() async throws {
        guard case .unexpected(nil) = try await setUp(Self.limits, expecting: .revision(1)) else {
            throw Unexpected(what: "made")
        }
        guard case .made = try await setUp(SessionSettings(), expecting: .absent) else {
            throw Unexpected(what: "not made")
        }
        for expectation in [SessionExpectation.absent, .revision(2)] {
            guard case .unexpected(let found?) = try await setUp(Self.limits, expecting: expectation) else {
                throw Unexpected(what: "changed")
            }
            #expect(found.revision == 1)
        }
        #expect(try await session().settings == SessionSettings())
        guard case .changed = try await setUp(Self.limits, expecting: .revision(1)) else {
            throw Unexpected(what: "not changed")
        }
    }

    @Test func onlyASessionWithoutSettingsIsPurged() async throws {
        let ages = PurgeAges(finishedDownloads: .seconds(10))
        _ = try await setUp(Self.limits)
        _ = try await fixture.store.purge(ages, now: Fixture.at(20))
        #expect(try await fixture.store.session(name) != nil)

        _ = try await setUp(SessionSettings())
        _ = try await fixture.store.purge(ages, now: Fixture.at(9))
        #expect(try await fixture.store.session(name) != nil)
        _ = try await fixture.store.purge(ages, now: Fixture.at(20))
        #expect(try await fixture.store.session(name) == nil)
    }
}
