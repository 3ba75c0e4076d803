import Core
import Store
import Testing

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
        #expect(claimed.sessionRate == SessionRate(name: name, bytesPerSecond: 4096, revision: 1))
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
