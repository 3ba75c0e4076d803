public import Core
public import Store
import Synchronization
import TestSupport

/// A user, a scheduler, workers dead and alive and the clock, all acting on one store. It knows what it has seen.
public final class StoreWalk: StoreSamples, Sendable {
    private static let node = "walker"

    public let store: Store
    private let seen: Mutex<(downloads: [DownloadID], claims: [Claim])>

    /// - Parameter previous: The walk whose process has ended; nil for none. Its claims are stale from then on.
    public init(on store: Store, after previous: StoreWalk? = nil) {
        self.store = store
        seen = Mutex(previous?.seen.withLock { $0 } ?? ([], []))
    }

    /// The downloads whose creation was answered, in the order of the answers.
    public var downloads: [DownloadID] { seen.withLock { $0.downloads } }

    /// A step about one of the downloads and claims that were ever seen.
    public func nextStep<Generator: RandomNumberGenerator>(using generator: inout Generator) -> StoreStep {
        let (downloads, claims) = seen.withLock { $0 }
        return StoreStep.random(downloads, claims, using: &generator)
    }

    /// Any answer will do: what must hold afterwards is for the invariants to say.
    ///
    /// - Returns: What the answer promises of a download; nil where it promises nothing.
    @discardableResult
    public func apply(_ step: StoreStep, at now: Timestamp) async throws -> StorePromise? {
        switch step {
        case .create(let session, let host, let starts, let dedupeKey):
            return try await create(session, host, starts, dedupeKey, now)
        case .claim(let free):
            let claimed = try await store.claim(Slots(free: free, perHost: 2), node: Self.node, now: now).downloads
            seen.withLock { $0.claims += claimed.map(\.claim) }
        case .record(let claim, .completed):
            // Refused where nothing was published.
            do {
                _ = try await store.recordOutcome(claim, .completed, madeProgress: true, now: now)
            } catch StoreError.refused {}
        case .record(let claim, let outcome):
            _ = try await store.recordOutcome(claim, outcome, madeProgress: false, now: now)
        case .checkpoint(let claim, let generation, let durable):
            var checkpoint = Self.checkpoint(durable, generation: generation)
            checkpoint.blocks = [BlockDigest(start: durable, end: durable + 1, value: .max)]
            checkpoint.forgottenBlocks = [durable / 2]
            try await withinQuota { _ = try await store.checkpoint(claim, checkpoint, now: now) }
        case .publish(let claim, let generation, let path):
            let checkpoint = Self.checkpoint(1000, generation: generation)
            try await withinQuota { _ = try await store.publish(claim, Self.file(path), checkpoint, now: now) }
        case .restart(let claim): _ = try await store.restart(claim, reason: "walk", isChange: true, now: now)
        case .command(let id, let action, let keepsPartial):
            return try await command(id, action, keepsPartial: keepsPartial, at: now)
        case .edit(let id, let maxBytes):
            var edit = DownloadEdit()
            edit.set(\.maxBytes, to: maxBytes)
            return try await command(id, nil, edit, at: now)
        case .enter(let id, let session):
            var edit = DownloadEdit()
            edit.session = session.flatMap { SessionName($0) }.map { .set($0) } ?? .clear
            return try await command(id, nil, edit, at: now)
        case .delete(let id, let force):
            guard case .success = try await store.delete(id, force: force, expectedRevision: nil, now: now) else {
                return nil
            }
            return .gone(id)
        case .deferClaims(let host): try await store.deferClaims("\(host):443", until: now + .seconds(10))
        case .limit, .seal, .act, .deleteSession: try await applyToSession(step, at: now)
        case .sweep: _ = try await store.sweep(limit: 2, now: now)
        case .recover:
            let claims = try await store.recover(after: .all, node: Self.node, now: now).publishing.map(\.claim)
            seen.withLock { $0.claims += claims }
        case .purge:
            let ages = PurgeAges(finishedDownloads: .seconds(200), failedBytes: .seconds(20), events: .seconds(1 << 32))
            _ = try await store.purge(ages, now: now)
        }
        return nil
    }

    private func applyToSession(_ step: StoreStep, at now: Timestamp) async throws {
        switch step {
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
        default: break
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
    ) async throws -> StorePromise? {
        var request = DownloadRequest(url: Self.url(host: host))
        request.session = session.flatMap { SessionName($0) }
        request.expected = Expected(sizeBytes: dedupeKey == nil ? nil : 1000)
        request.dedupeKey = dedupeKey
        let new = NewDownload(
            id: DownloadID(at: now),
            request: request,
            starts: starts,
            deadlineAt: now + .seconds(86_400)
        )
        let outcome = try await store.create([new], atomically: false, now: now)
        guard case .done(.made(let creations)) = outcome, case .created(let download)? = creations.first else {
            return nil
        }
        seen.withLock { $0.downloads.append(download.id) }
        return .present(download.id, revision: download.revision)
    }

    private func command(
        _ id: DownloadID,
        _ action: DownloadAction?,
        _ edit: DownloadEdit = DownloadEdit(),
        keepsPartial: Bool = false,
        at now: Timestamp
    ) async throws -> StorePromise? {
        let command = Command(
            action: action,
            edit: { _ in edit },
            keepsPartial: keepsPartial,
            timeLimit: .seconds(86_400)
        )
        guard case .done(.success(let moved)) = try await store.command(id, command, now: now) else { return nil }
        return .present(moved.download.id, revision: moved.download.revision)
    }
}

/// What an answer of the store promises, whatever happens to its process afterwards.
public enum StorePromise: Sendable {
    /// The download is there, in this revision or a later one, until something deletes it.
    case present(DownloadID, revision: Int64)
    case gone(DownloadID)
}
