import Core
import Store
import Synchronization
import TestSupport
import Testing

@Suite struct RandomWalkTests {
    private static let walksPerSeed = 10

    @Test(arguments: 0..<30 as Range<UInt64>)
    func theRulesHoldInAnyOrderOfCalls(_ seed: UInt64) async throws {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<Self.walksPerSeed {
            try await StoreSimulation().run(steps: 40, using: &generator)
        }
    }
}

/// A user, a scheduler, workers dead and alive and the clock, all acting on one store in an order that chance chose.
final class StoreSimulation: Sendable {
    let fixture: Fixture
    private let seen = Mutex<(downloads: [DownloadID], claims: [Claim])>(([], []))

    init() throws {
        fixture = try Fixture()
    }

    /// Takes `steps` steps, up to four of them at once, and checks what must always hold after each round.
    func run(steps: Int, using generator: inout SplitMix64) async throws {
        try await fixture.store.configureWebhook(Fixture.url(), now: Fixture.now)
        var time = Fixture.now
        try Invariants.recordMoves(in: fixture)
        var invariants = Invariants(fixture: fixture)
        var left = steps
        while left > 0 {
            let (downloads, claims) = seen.withLock { $0 }
            let round = (0..<min(left, generator.pick([1, 1, 2, 4]))).map { _ in
                Step.random(downloads, claims, using: &generator)
            }
            left -= round.count
            time = time + .seconds(generator.chance(oneIn: 40) ? 100_000 : Int64.random(in: 0...20, using: &generator))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for step in round { group.addTask { [time] in try await self.apply(step, at: time) } }
                try await group.waitForAll()
            }
            try invariants.check(after: round)
            try await checkWritten()
        }
        try invariants.checkFile()
    }

    /// What the writer takes a download to be is what its row says.
    private func checkWritten() async throws {
        for id in seen.withLock({ $0.downloads }).suffix(16) {
            #expect(try await fixture.writtenDownload(id) == fixture.store.download(id))
        }
    }

    /// Any answer will do: what must hold afterwards is for the invariants to say.
    private func apply(_ step: Step, at now: Timestamp) async throws {
        let store = fixture.store
        switch step {
        case .create(let session, let host, let starts, let dedupeKey):
            try await create(session, host, starts, dedupeKey, now)
        case .claim(let free):
            let claims = try await fixture.claim(free: free, perHost: 2, at: now).map(\.claim)
            seen.withLock { $0.claims += claims }
        case .record(let claim, .completed):
            // Refused where nothing was published.
            do {
                _ = try await store.recordOutcome(claim, .completed, madeProgress: true, now: now)
            } catch StoreError.refused {}
        case .record(let claim, let outcome):
            _ = try await store.recordOutcome(claim, outcome, madeProgress: false, now: now)
        case .checkpoint(let claim, let generation, let durable):
            var checkpoint = Fixture.checkpoint(durable, generation: generation)
            checkpoint.blocks = [BlockDigest(start: durable, end: durable + 1, value: .max)]
            checkpoint.forgottenBlocks = [durable / 2]
            try await withinQuota { _ = try await store.checkpoint(claim, checkpoint, now: now) }
        case .publish(let claim, let generation, let path):
            let checkpoint = Fixture.checkpoint(1000, generation: generation)
            try await withinQuota { _ = try await store.publish(claim, Fixture.file(path), checkpoint, now: now) }
        case .restart(let claim): _ = try await store.restart(claim, reason: "walk", isChange: true, now: now)
        case .command(let id, let action, let keepsPartial):
            _ = try await fixture.command(id, action, keepsPartial: keepsPartial, at: now)
        case .edit(let id, let maxBytes):
            var edit = DownloadEdit()
            edit.set(\.maxBytes, to: maxBytes)
            _ = try await fixture.command(id, nil, edit, at: now)
        case .enter(let id, let session):
            var edit = DownloadEdit()
            edit.session = session.flatMap { SessionName($0) }.map { .set($0) } ?? .clear
            _ = try await fixture.command(id, nil, edit, at: now)
        case .delete(let id, let force): _ = try await store.delete(id, force: force, expectedRevision: nil, now: now)
        case .deferClaims(let host): try await store.deferClaims("\(host):443", until: now + .seconds(10))
        case .limit(let session, let maxBytes):
            guard let name = SessionName(session) else { return }
            _ = try await store.setUpSession(name, SessionSettings(maxBytes: maxBytes), now: now)
        case .seal(let session):
            guard let name = SessionName(session) else { return }
            _ = try await store.setUpSession(name, SessionSettings(), seals: true, now: now)
        case .act(let session, let action):
            guard let name = SessionName(session) else { return }
            let ids = try await store.downloads(of: name, for: action)
            _ = try await store.act(action, on: ids, keepsPartial: false, timeLimit: .seconds(86_400), now: now)
        case .deleteSession(let session):
            guard let name = SessionName(session) else { return }
            _ = try await store.deleteSession(name, expectedRevision: nil, now: now)
        case .sweep: _ = try await store.sweep(limit: 2, now: now)
        case .recover:
            let claims = try await store.recover(after: .all, node: "walker", now: now).publishing.map(\.claim)
            seen.withLock { $0.claims += claims }
        case .purge:
            let ages = PurgeAges(finishedDownloads: .seconds(200), failedBytes: .seconds(20), events: .seconds(1 << 32))
            _ = try await store.purge(ages, now: now)
        }
    }

    private func withinQuota(_ body: () async throws -> Void) async throws {
        do { try await body() } catch StoreError.quotaExceeded {}
    }

    private func create(
        _ session: String?,
        _ host: String,
        _ starts: Bool,
        _ dedupeKey: String?,
        _ now: Timestamp
    ) async throws {
        var request = DownloadRequest(url: Fixture.url(host: host))
        request.session = session.flatMap { SessionName($0) }
        request.expected = Expected(sizeBytes: dedupeKey == nil ? nil : 1000)
        request.dedupeKey = dedupeKey
        let creation = try await fixture.store.create(Fixture.new(request, starts: starts, now: now), now: now)
        if case .created(let download) = creation { seen.withLock { $0.downloads.append(download.id) } }
    }
}

/// One call to the store, with everything but the claim or download that it is about.
enum Step: Sendable {
    case create(session: String?, host: String, starts: Bool, dedupeKey: String?)
    case claim(free: Int)
    case checkpoint(Claim, generation: Int, durable: Int64)
    case publish(Claim, generation: Int, path: String)
    case restart(Claim)
    case record(Claim, ClaimOutcome)
    case command(DownloadID, DownloadAction, keepsPartial: Bool)
    case edit(DownloadID, maxBytes: Int64)
    case enter(DownloadID, session: String?)
    case delete(DownloadID, force: Bool)
    case deferClaims(host: String)
    case limit(session: String, maxBytes: Int64?)
    case seal(session: String)
    case act(session: String, SessionAction)
    case deleteSession(String)
    case sweep
    case recover
    case purge
}

extension Step {
    /// A step about one of the downloads and claims that were ever seen, stale ones included.
    static func random(
        _ downloads: [DownloadID],
        _ claims: [Claim],
        using generator: inout SplitMix64
    ) -> Self {
        guard !downloads.isEmpty, !generator.chance(oneIn: 6) else { return create(&generator) }
        guard !claims.isEmpty, !generator.chance(oneIn: 5) else { return .claim(free: generator.pick([1, 2, 3])) }
        // The last ones are the likeliest to be live.
        let claim = generator.pick(generator.chance(oneIn: 3) ? claims : claims.suffix(4))
        let id = generator.pick(generator.chance(oneIn: 3) ? downloads : downloads.suffix(4))
        switch Int.random(in: 0..<28, using: &generator) {
        case 0...2:
            let durable = Int64.random(in: 0...1000, using: &generator)
            return .checkpoint(claim, generation: generator.pick([1, 1, 1, 2, 3]), durable: durable)
        case 3...4, 19...20:
            return .publish(claim, generation: generator.pick([1, 1, 1, 2, 3]), path: generator.pick(["x", "y"]))
        case 5: return .restart(claim)
        case 6...8, 21...22: return .record(claim, outcome(&generator))
        case 9...12:
            let action = generator.pick(DownloadAction.allCases)
            return .command(id, action, keepsPartial: generator.chance(oneIn: 2))
        case 13: return .edit(id, maxBytes: Int64.random(in: 0...3, using: &generator))
        case 14: return .delete(id, force: generator.chance(oneIn: 2))
        case 15: return .sweep
        case 16: return generator.pick([.deferClaims(host: "a"), .deferClaims(host: "b")])
        case 17: return .limit(session: generator.pick(["s", "t"]), maxBytes: generator.pick([nil, 500, 2500, 4000]))
        case 23: return generator.chance(oneIn: 3) ? .seal(session: "t") : .deleteSession(generator.pick(["s", "t"]))
        case 24: return .act(session: generator.pick(["s", "t"]), generator.pick(SessionAction.allCases))
        case 25...26: return .enter(id, session: generator.pick(["s", "t", nil]))
        default: return generator.pick([.recover, .purge])
        }
    }

    private static func create(_ generator: inout SplitMix64) -> Self {
        .create(
            session: generator.pick(["s", "s", "t", nil]),
            host: generator.pick(["a", "b"]),
            starts: !generator.chance(oneIn: 5),
            dedupeKey: generator.pick(["k", nil, nil])
        )
    }

    private static func outcome(_ generator: inout SplitMix64) -> ClaimOutcome {
        let deferral = Deferral(
            reason: generator.pick(WaitingFor.allCases),
            until: generator.pick([nil, Fixture.at(50)]),
            error: Fixture.error,
            startsOver: generator.chance(oneIn: 4)
        )
        var edit = DownloadEdit()
        edit.url = Fixture.url(host: "b")
        return generator.pick([
            .completed, .completed, .failed(Fixture.error), .deferred(deferral), .deferred(deferral), .interrupted,
            .urlRefreshed(edit, Fixture.error, until: generator.pick([nil, Fixture.at(50)])),
        ])
    }
}
