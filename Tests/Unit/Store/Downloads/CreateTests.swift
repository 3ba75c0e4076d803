import Core
import HTTPFields
import Store
import StoreSupport
import TestSupport
import Testing

@Suite struct CreateTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    @Test func aDownloadIsReadBackAsItWasMade() async throws {
        var request = DownloadRequest(url: Fixture.url())
        request.session = SessionName("s")
        request.directory = try RelativeDirectory(validating: "isos/debian")
        request.filename = try FileName(validating: "a.iso")
        request.onConflict = .fail
        request.credentials = SealedCredentials(bytes: [0, 255])
        request.summary = RequestSummary(
            headerNames: ["Authorization", "Cookie"],
            cookieNames: ["a", "B"],
            scheme: .basic,
            postedBytes: 0
        )
        request.expected = Expected(
            sizeBytes: 5,
            digests: [Digest(algorithm: .md5, bytes: Array(repeating: 1, count: 16))],
            mediaType: MediaType("application/zip")
        )
        request.maxBytes = 9
        request.rateBytesPerSecond = 2048
        request.connections = 3
        request.maxAttempts = 3
        request.deadline = .at(Fixture.at(86_400))
        request.priority = Priority(clamping: -100)
        request.notBefore = Fixture.at(-5)
        request.acceptsUnverifiedLength = true
        request.preservesModificationTime = false
        request.acceptsHTML = true
        request.labels = JSONText(canonical: #"{"a":"ä"}"#)
        request.metadata = JSONText(canonical: "{}")
        request.dedupeKey = "key"

        let made = try await fixture.make(request)
        #expect(made.request == request)
        #expect(made.state == .queued)
        #expect(try await fixture.store.download(made.id) == made)
    }

    @Test func itsEventComesWithIt() async throws {
        let made = try await fixture.make()

        #expect(try fixture.events(of: made.id) == ["download.created"])
        #expect(try fixture.texts("SELECT CAST(body AS TEXT) FROM event") == ["1 download.created \(made.id)"])
    }

    @Test func itsSessionIsMadeOnFirstUse() async throws {
        try await fixture.make(session: "s")
        try await fixture.make(session: "s", starts: false)

        let name = try #require(SessionName("s"))
        let session = try #require(try await fixture.store.session(name))
        #expect(session.session.openCount == 2)
        #expect(session.session.epoch == 1)
        #expect(session.counts == [.queued: 1, .paused: 1])
    }

    @Test func aDownloadWithoutStartIsPaused() async throws {
        let made = try await fixture.make(starts: false)

        #expect(made.state == .paused)
        #expect(made.times.pausedAt == Fixture.now)
        #expect(try await fixture.claim(free: 1).isEmpty)
    }

    @Test func theSameIdentifierTwiceIsRefusedWhole() async throws {
        let new = Fixture.new(
            with(DownloadRequest(url: Fixture.url())) {
                $0.session = SessionName("s")
            }
        )
        _ = try await fixture.store.create(new, now: Fixture.now)

        await #expect(throws: StoreError.self) { try await fixture.store.create(new, now: Fixture.now) }
        #expect(try fixture.count("event") == 1)
        #expect(try fixture.value("SELECT open_count FROM session") == 1)
    }

    @Test func aFullQueueTakesNoMore() async throws {
        try await fixture.make(starts: false)
        try await fixture.make()
        let new = Fixture.new(DownloadRequest(url: Fixture.url()))

        guard case .created = try await fixture.store.create(new, queueLimit: 2, now: Fixture.now) else {
            Issue.record("refused below the limit")
            return
        }
        let next = Fixture.new(
            with(DownloadRequest(url: Fixture.url())) {
                $0.session = SessionName("s")
            }
        )
        guard case .queueFull = try await fixture.store.create(next, queueLimit: 2, now: Fixture.now) else {
            Issue.record("taken above the limit")
            return
        }
        #expect(try fixture.count("download") == 3)
        #expect(try fixture.count("session") == 0)
    }
}

@Suite struct DedupeTests {
    let fixture: Fixture
    let request = with(DownloadRequest(url: Fixture.url())) { $0.dedupeKey = "key" }

    init() throws {
        fixture = try Fixture()
    }

    @Test(
        arguments: DownloadStateMachine.allMachines.filter { $0.state != .failed && $0.state != .cancelled }
    )
    func aLiveDownloadIsReturned(_ machine: DownloadStateMachine) async throws {
        let first = try await fixture.download(at: machine)
        try fixture.execute("UPDATE download SET dedupe_key = 'key'")

        guard case .existing(let found) = try await fixture.store.create(Fixture.new(request), now: Fixture.now) else {
            Issue.record("a second one was made")
            return
        }
        #expect(found.id == first.id)
        #expect(try fixture.count("download") == 1)
    }

    @Test(arguments: [.failed, .cancelled] as [DownloadState])
    func anEndedOneGivesTheKeyFree(_ state: DownloadState) async throws {
        let first = try await fixture.download(at: DownloadStateMachine(state: state))
        try fixture.execute("UPDATE download SET dedupe_key = 'key'")

        let second = try await fixture.make(request)
        #expect(second.id != first.id)
        #expect(try fixture.count("download") == 2)
    }

    @Test func aDeletedOneGivesTheKeyFree() async throws {
        let first = try await fixture.make(request)
        _ = try await fixture.store.delete(first.id, force: true, expectedRevision: nil, now: Fixture.now)

        #expect(try await fixture.make(request).id != first.id)
    }

    /// The key is another's now: two live downloads of one key would be what it is there to prevent.
    @Test func aRetryWhoseKeyIsTakenIsRefused() async throws {
        let first = try await fixture.make(request)
        try await fixture.done(first.id, .cancel)
        let second = try await fixture.make(request)
        let before = try fixture.row(first.id)

        guard case .failure(.dedupeKeyTaken(let holder, let state)) = try await fixture.command(first.id, .retry) else {
            Issue.record("the retry was not refused")
            return
        }
        #expect(holder == second.id)
        #expect(state == .cancelled)
        #expect(try fixture.row(first.id) == before)
        try await fixture.done(second.id, .cancel)
        #expect(try await fixture.done(first.id, .retry).download.state == .queued)
    }

    @Test func fiftyAtOnceMakeOne() async throws {
        let ids = try await withThrowingTaskGroup(of: DownloadID.self) { group in
            for _ in 0..<50 {
                group.addTask { [fixture, request] in
                    switch try await fixture.store.create(Fixture.new(request), now: Fixture.now) {
                    case .created(let download), .existing(let download): return download.id
                    case .replayed, .keyReused, .queueFull, .quotaExceeded, .sessionSealed, .dedupeConflict:
                        throw Unexpected(what: "another answer")
                    }
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }

        #expect(ids.count == 1)
        #expect(try fixture.count("download") == 1)
        #expect(try fixture.count("event") == 1)
    }
}
