import Core
import Store
import StoreSupport
import Testing

@Suite struct IdempotencyTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private static func request(scope: String = "POST", fingerprint: UInt8 = 1) -> IdempotentRequest {
        IdempotentRequest(scope: scope, key: "k", fingerprint: [fingerprint])
    }

    private static func replay(scope: String = "POST", fingerprint: UInt8 = 1) -> IdempotentOperation<[Creation]> {
        IdempotentOperation(request: request(scope: scope, fingerprint: fingerprint)) { creations in
            let id = creations.first?.download?.id.text ?? ""
            return StoredResponse(status: 201, location: "/\(id)", etag: nil, body: Array(id.utf8))
        }
    }

    private static func commandReplay(fingerprint: UInt8 = 1) -> IdempotentOperation<Download> {
        IdempotentOperation(request: request(fingerprint: fingerprint)) { download in
            StoredResponse(status: 200, location: nil, etag: nil, body: Array(download.id.text.utf8))
        }
    }

    private func create(_ replay: IdempotentOperation<[Creation]>, queueLimit: Int? = nil) async throws -> OneCreation {
        let new = Fixture.new(DownloadRequest(url: Fixture.url()))
        return try await fixture.store.create(new, replay: replay, queueLimit: queueLimit)
    }

    @Test func aRepeatedRequestIsAnsweredAsBefore() async throws {
        guard case .created(let made) = try await create(Self.replay()) else { throw Unexpected(what: "not created") }

        guard case .replayed(let response) = try await create(Self.replay()) else {
            throw Unexpected(what: "not replayed")
        }
        let expected = StoredResponse(status: 201, location: "/\(made.id)", etag: nil, body: Array(made.id.text.utf8))
        #expect(response == expected)
        #expect(try fixture.count("download") == 1)
    }

    @Test func theKeyWithAnotherRequestIsReused() async throws {
        _ = try await create(Self.replay())

        guard case .keyReused = try await create(Self.replay(fingerprint: 2)) else {
            Issue.record("taken")
            return
        }
        #expect(try fixture.count("download") == 1)
    }

    @Test func theKeyOfAnotherScopeIsAnotherKey() async throws {
        _ = try await create(Self.replay())

        guard case .created = try await create(Self.replay(scope: "other")) else {
            Issue.record("mixed up")
            return
        }
    }

    @Test func aRefusalIsNotKept() async throws {
        guard case .queueFull = try await create(Self.replay(), queueLimit: 0) else { throw Unexpected(what: "taken") }

        guard case .created = try await create(Self.replay()) else {
            Issue.record("the refusal was kept")
            return
        }
    }

    @Test func fiftyAtOnceMakeOneRow() async throws {
        let created = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 {
                group.addTask { [self] in
                    switch try await create(Self.replay()) {
                    case .created: 1
                    case .replayed: 0
                    case .existing, .keyReused, .queueFull, .quotaExceeded, .sessionSealed, .dedupeConflict:
                        throw Unexpected(what: "another answer")
                    }
                }
            }
            return try await group.reduce(0, +)
        }

        #expect(created == 1)
        #expect(try fixture.count("download") == 1)
        #expect(try fixture.count("idempotency") == 1)
    }

    @Test func aRepeatedCommandActsOnce() async throws {
        let id = try await fixture.make().id
        let command = Command(action: .pause, timeLimit: .seconds(1))
        _ = try await fixture.store.command(id, command, replay: Self.commandReplay(), now: Fixture.now)
        try await fixture.done(id, .resume)

        let outcome = try await fixture.store.command(id, command, replay: Self.commandReplay(), now: Fixture.now)
        guard case .replayed = outcome else { throw Unexpected(what: "\(outcome)") }
        #expect(try await fixture.download(id).state == .queued)
        let other = try await fixture.store.command(
            id,
            command,
            replay: Self.commandReplay(fingerprint: 2),
            now: Fixture.now
        )
        guard case .keyReused = other else { throw Unexpected(what: "\(other)") }
    }

    @Test func aCommandThatIsRefusedIsNotKept() async throws {
        let id = try await fixture.make().id
        let command = Command(action: .retry, timeLimit: .seconds(1))
        _ = try await fixture.store.command(id, command, replay: Self.commandReplay(), now: Fixture.now)

        #expect(try fixture.count("idempotency") == 0)
    }
}
