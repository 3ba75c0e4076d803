import Core
import Store
import StoreSupport
import TestSupport
import Testing

/// Many downloads in one transaction.
@Suite struct BatchTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private static func new(
        _ number: Int,
        session: String? = nil,
        size: Int64? = nil,
        key: String? = nil,
        starts: Bool = true
    ) -> NewDownload {
        NewDownload(
            id: DownloadID(at: Fixture.now, number: number),
            request: with(DownloadRequest(url: Fixture.url())) {
                $0.session = session.flatMap { SessionName($0) }
                $0.expected = Expected(sizeBytes: size)
                $0.dedupeKey = key
            },
            starts: starts,
            deadlineAt: Fixture.at(86_400)
        )
    }

    private func create(
        _ new: [NewDownload],
        atomically: Bool = true,
        queueLimit: Int? = nil,
        replay: IdempotentOperation<[Creation]>? = nil
    ) async throws -> IdempotentResult<CreationOutcome> {
        try await fixture.store.create(
            new,
            atomically: atomically,
            replay: replay,
            queueLimit: queueLimit,
            now: Fixture.now
        )
    }

    /// What became of each, in a word.
    private func words(_ outcome: IdempotentResult<CreationOutcome>) throws -> [String] {
        guard case .done(.made(let creations)) = outcome else { throw Unexpected(what: "\(outcome)") }
        return creations.map { creation in
            switch creation {
            case .created: "created"
            case .existing: "existing"
            case .refused(let refusal): "\(refusal)"
            }
        }
    }

    private static let replay = IdempotentOperation(request: IdempotentRequest(scope: "s", key: "k", fingerprint: [1]))
    {
        (creations: [Creation]) in
        StoredResponse(status: 201, location: nil, etag: nil, body: Array("\(creations.count)".utf8))
    }

    private func setLimit(_ bytes: Int64) async throws {
        let name = try #require(SessionName("s"))
        _ = try await fixture.store.setUpSession(name, SessionSettings(maxBytes: bytes), now: Fixture.now)
    }

    @Test func eachHasItsRowItsEventAndItsPlaceInTheSession() async throws {
        let all = (0..<1000).map { Self.new($0, session: "s", starts: $0 != 5) }

        let outcome = try await create(all)
        guard case .done(.made(let creations)) = outcome else { throw Unexpected(what: "\(outcome)") }
        #expect(creations.map { $0.download?.id } == all.map(\.id))
        #expect(try fixture.count("download") == 1000)
        #expect(try fixture.count("event") == 1000)
        #expect(try fixture.value("SELECT count(DISTINCT download) FROM event WHERE type = 'download.created'") == 1000)
        #expect(try fixture.value("SELECT open_count FROM session") == 1000)
        #expect(try await fixture.download(all[5].id).state == .paused)
    }

    @Test func eachEventHasOneDeliveryForEachWebhookThatWantsIt() async throws {
        try await fixture.store.configureWebhook(Fixture.url(path: "/hook"), now: Fixture.now)
        let all = (0..<5).map { Self.new($0) }
        _ = try await create(all)
        for new in all { try await fixture.done(new.id, .cancel) }

        #expect(try fixture.value("SELECT count(*) FROM event WHERE type = 'download.cancelled'") == 5)
        let perEvent = "SELECT count(*) FROM delivery GROUP BY event HAVING count(*) <> 1"
        #expect(try fixture.texts(perEvent) == [])
        #expect(try fixture.count("delivery") == 5)
    }

    @Test func theyAreClaimedInTheirOrder() async throws {
        let all = (0..<200).map { Self.new($0) }
        _ = try await create(all)

        #expect(try await fixture.claim(free: 200).map(\.download.id) == all.map(\.id))
    }

    @Test func theLastOneThatIsRefusedUndoesAll() async throws {
        try await setLimit(10)
        let all = (0..<20).map { Self.new($0, session: "s", size: $0 == 19 ? 11 : 1) }

        guard case .done(.refused(.quotaExceeded, at: 19)) = try await create(all, replay: Self.replay) else {
            Issue.record("taken")
            return
        }
        #expect(try fixture.count("download") == 0)
        #expect(try fixture.count("event") == 0)
        #expect(try fixture.count("idempotency") == 0)
        #expect(try fixture.value("SELECT open_count FROM session") == 0)
        guard case .done(.made) = try await create(Array(all.dropLast()), replay: Self.replay) else {
            Issue.record("the refusal was kept")
            return
        }
    }

    /// The calls that were to be committed with it are, each by itself.
    @Test func aRefusedBatchUndoesNoConcurrentOne() async throws {
        try await setLimit(10)
        let refused = [Self.new(0), Self.new(1, session: "s", size: 11)]
        let store = fixture.store
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<20 {
                group.addTask {
                    guard index.isMultiple(of: 2) else {
                        _ = try await store.create([Self.new(2 + index)], atomically: true, now: Fixture.now)
                        return
                    }
                    let outcome = try await store.create(refused, atomically: true, now: Fixture.now)
                    guard case .done(.refused(_, at: 1)) = outcome else { throw Unexpected(what: "\(outcome)") }
                }
            }
            try await group.waitForAll()
        }

        #expect(try fixture.count("download") == 10)
        #expect(try fixture.count("event") == 10)
    }

    @Test func aBatchThatIsNotAtomicCreatesItsValidItems() async throws {
        try await setLimit(10)
        let all = (0..<3).map { Self.new($0, session: "s", size: $0 == 1 ? 11 : 1) }

        let outcome = try await create(all, atomically: false, replay: Self.replay)
        #expect(try words(outcome) == ["created", "quotaExceeded", "created"])
        #expect(try fixture.count("event") == 2)
        #expect(try fixture.value("SELECT open_count FROM session") == 2)
        guard case .replayed(let response) = try await create(all, atomically: false, replay: Self.replay) else {
            Issue.record("made twice")
            return
        }
        #expect(response.body == Array("3".utf8))
    }

    @Test func aRefusalOfAllIsNotKept() async throws {
        let outcome = try await create([Self.new(0)], atomically: false, queueLimit: 0, replay: Self.replay)

        #expect(try words(outcome) == ["queueFull"])
        #expect(try fixture.count("idempotency") == 0)
    }

    @Test func twoOfOneKeyAreOneDownload() async throws {
        let outcome = try await create([Self.new(0, key: "a"), Self.new(1, key: "b"), Self.new(2, key: "a")])

        guard case .done(.made(let creations)) = outcome else { throw Unexpected(what: "\(outcome)") }
        #expect(try words(outcome) == ["created", "created", "existing"])
        #expect(creations[2].download?.id == creations[0].download?.id)
        #expect(try fixture.count("download") == 2)
        #expect(try fixture.count("event") == 2)
    }

    /// One that is paused, or there already, takes no place in the queue.
    @Test func theQueueIsFilledUpToItsLimit() async throws {
        try await fixture.make()
        let all = [
            Self.new(0, key: "a"), Self.new(1, key: "a"), Self.new(2, starts: false), Self.new(3), Self.new(4),
            Self.new(5, key: "a"),
        ]

        let outcome = try await create(all, atomically: false, queueLimit: 3)
        #expect(try words(outcome) == ["created", "existing", "created", "created", "queueFull", "existing"])
        guard case .done(.refused(.queueFull, at: 0)) = try await create([Self.new(9)], queueLimit: 3) else {
            Issue.record("taken above the limit")
            return
        }
    }

    @Test func anIdentifierThatIsThereUndoesAll() async throws {
        _ = try await create([Self.new(7)])
        let taken = try #require(try fixture.texts("SELECT id FROM download").first.flatMap { DownloadID($0) })
        var last = Self.new(1)
        last.id = taken
        let all = [Self.new(0, session: "s"), last]

        await #expect(throws: StoreError.self) { try await create(all, atomically: false) }
        #expect(try fixture.count("download") == 1)
        #expect(try fixture.count("session") == 0)
    }
}
