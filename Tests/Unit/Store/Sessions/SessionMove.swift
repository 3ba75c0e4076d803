import Core
import Store
import StoreSupport
import TestSupport

/// One call to the store in a walk of a session.
enum SessionMove: Sendable {
    case create([DownloadID], starts: Bool, seals: Bool)
    case command(DownloadID, DownloadAction, keepsPartial: Bool)
    /// A part of what an action on all of them comes to.
    case act(SessionAction, [DownloadID])
    case seal
    case delete(DownloadID, force: Bool)
    case deleteSession
    case claim(free: Int)
    case checkpoint(Claim, generation: Int, bytes: Int64)
    case publish(Claim, generation: Int)
    case record(Claim, End)
    case sweep
    case recover

    enum End: CaseIterable { case completed, failed, deferred, interrupted }
}

/// Chooses moves, most of them such that they race for the end of an epoch.
struct SessionMoves {
    var generator: SplitMix64
    /// What was ever claimed, with the generation that was to be written.
    var claims: [(claim: Claim, generation: Int)] = []
    private var count = 0

    init(seed: UInt64) {
        generator = SplitMix64(seed: seed)
    }

    mutating func round(_ model: SessionModel, at now: Timestamp) -> [SessionMove] {
        (0..<generator.pick([1, 1, 2, 2, 3, 4])).map { _ in next(model, at: now) }
    }

    private mutating func next(_ model: SessionModel, at now: Timestamp) -> SessionMove {
        let ids = model.items.keys.sorted { $0.text < $1.text }
        guard let id = ids.randomElement(using: &generator) else { return create(at: now) }
        switch Int.random(in: 0..<24, using: &generator) {
        case 0...1: return ids.count < 6 ? create(at: now) : .delete(id, force: false)
        case 2...4: return .claim(free: generator.pick([1, 2, 3]))
        case 5...13: return work(model) ?? .claim(free: 2)
        case 14...17:
            // What failed is worth a retry more often than not.
            let expected: DownloadAction = model.items[id]?.isOpen == false ? .retry : .cancel
            let action = generator.pick(DownloadAction.allCases + [expected, expected])
            return .command(id, action, keepsPartial: generator.chance(oneIn: 2))
        case 18: return .seal
        case 19: return .delete(id, force: generator.chance(oneIn: 2))
        case 20: return .deleteSession
        case 21: return .sweep
        case 22: return generator.chance(oneIn: 4) ? .recover : .sweep
        default:
            let some = (0..<2).map { _ in generator.pick(ids) }
            return .act(generator.pick(SessionAction.allCases), some)
        }
    }

    private mutating func create(at now: Timestamp) -> SessionMove {
        let ids = (0..<generator.pick([1, 1, 2, 3])).map { _ in
            count = (count + 1) % 4096
            return DownloadID(at: now, number: count)
        }
        return .create(ids, starts: !generator.chance(oneIn: 5), seals: generator.chance(oneIn: 12))
    }

    /// What a worker does, be it one that was shut out.
    private mutating func work(_ model: SessionModel) -> SessionMove? {
        guard let (claim, generation) = claims.suffix(5).randomElement(using: &generator) else { return nil }
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: return .checkpoint(claim, generation: generation, bytes: Int64.random(in: 0...1000, using: &generator))
        case 1...2: return .publish(claim, generation: generation)
        default:
            // The store takes an end with a file from one that is being published alone.
            let isPublishing = model.items[claim.id]?.isPublishing ?? false
            return .record(
                claim,
                isPublishing ? .completed : generator.pick([.failed, .failed, .deferred, .interrupted])
            )
        }
    }
}

extension SessionMove {
    /// What a call came to, as far as a model can know.
    enum Result: Hashable, Sendable {
        case isTaken(Bool)
        case claimed([Claim], generations: [Int])
        case acted(changed: Int, unchanged: Int, refused: Int)
    }

    func apply(_ store: Store, _ session: SessionName, at now: Timestamp) async throws -> Result {
        switch self {
        case .create(let ids, let starts, let seals):
            var request = DownloadRequest(url: Fixture.url())
            request.session = session
            let new = ids.map {
                NewDownload(id: $0, request: request, starts: starts, deadlineAt: now + .seconds(9999))
            }
            let outcome = try await store.create(new, atomically: true, seals: seals, now: now).outcome()
            if case .made = outcome { return .isTaken(true) }
            guard case .refused(.sessionSealed, at: 0) = outcome else { throw Unexpected(what: "\(outcome)") }
            return .isTaken(false)
        case .command(let id, let action, let keepsPartial):
            let command = Command(action: action, keepsPartial: keepsPartial, timeLimit: .seconds(9999))
            guard case .done(.success) = try await store.command(id, command, now: now) else { return .isTaken(false) }
            return .isTaken(true)
        case .act(let action, let ids):
            let outcome = try await store.act(action, on: ids, keepsPartial: false, timeLimit: .seconds(9999), now: now)
            return .acted(changed: outcome.results.count, unchanged: outcome.unchanged, refused: outcome.refused)
        case .seal:
            _ = try await store.setUpSession(session, SessionSettings(), seals: true, now: now)
            return .isTaken(true)
        case .delete(let id, let force):
            guard case .success = try await store.delete(id, force: force, expectedRevision: nil, now: now) else {
                return .isTaken(false)
            }
            return .isTaken(true)
        case .deleteSession:
            let deletion = try await store.deleteSession(session, expectedRevision: nil, now: now)
            guard case .deleted = deletion else { return .isTaken(false) }
            return .isTaken(true)
        case .claim, .checkpoint, .publish, .record, .sweep, .recover: return try await work(store, at: now)
        }
    }

    private func work(_ store: Store, at now: Timestamp) async throws -> Result {
        switch self {
        case .claim(let free):
            let slots = Slots(free: free, perHost: 1000)
            let claimed = try await store.claim(slots, node: Fixture.node, now: now).downloads
            return .claimed(claimed.map(\.claim), generations: claimed.map(\.download.generation))
        case .checkpoint(let claim, let generation, let bytes):
            let checkpoint = Fixture.checkpoint(bytes, generation: generation)
            return .isTaken(try await !store.checkpoint(claim, checkpoint, now: now).isLost)
        case .publish(let claim, let generation):
            let checkpoint = Fixture.checkpoint(1000, generation: generation)
            let file = Fixture.file(claim.id.text)
            return .isTaken(try await !store.publish(claim, file, checkpoint, now: now).isLost)
        case .record(let claim, let end):
            let outcome = try await store.recordOutcome(claim, end.outcome(at: now), madeProgress: false, now: now)
            return .isTaken(!outcome.isLost)
        case .recover:
            let claimed = try await store.recover(after: .all, node: Fixture.node, now: now).publishing
            return .claimed(claimed.map(\.claim), generations: claimed.map(\.download.generation))
        default:
            _ = try await store.sweep(now: now)
            return .isTaken(true)
        }
    }
}

extension SessionMove.End {
    fileprivate func outcome(at now: Timestamp) -> ClaimOutcome {
        switch self {
        case .completed: .completed
        case .failed: .failed(Fixture.error)
        case .deferred: Fixture.deferred(.retry, until: dueAt(now))
        case .interrupted: .interrupted
        }
    }

    fileprivate var state: DownloadState {
        switch self {
        case .completed: .completed
        case .failed: .failed
        case .deferred: .waiting
        case .interrupted: .queued
        }
    }

    fileprivate func dueAt(_ now: Timestamp) -> Timestamp { now + .seconds(1) }
}

extension SessionModel {
    /// Makes the move too.
    ///
    /// - Parameter result: What the store chose, where it had a choice.
    /// - Returns: What the answer should be.
    mutating func apply(
        _ move: SessionMove,
        _ claims: inout [(claim: Claim, generation: Int)],
        _ result: SessionMove.Result,
        at now: Timestamp
    ) -> SessionMove.Result {
        switch move {
        case .create(let ids, let starts, let seals):
            return .isTaken(create(ids, starts: starts, seals: seals, at: now))
        case .command(let id, let action, let keepsPartial):
            return .isTaken(command(id, action, keepsPartial: keepsPartial, at: now))
        case .act(let action, let ids):
            let acted = ids.map { act(action, on: $0, at: now) }
            let (changed, unchanged) = (acted.count { $0 == .changed }, acted.count { $0 == .unchanged })
            return .acted(changed: changed, unchanged: unchanged, refused: acted.count { $0 == .refused })
        case .seal:
            seal()
            return .isTaken(true)
        case .delete(let id, let force): return .isTaken(delete(id, force: force, at: now))
        case .deleteSession: return .isTaken(deleteSession())
        case .checkpoint(let claim, let generation, let bytes):
            return .isTaken(checkpoint(claim, generation: generation, bytes))
        case .publish(let claim, let generation): return .isTaken(publish(claim, generation: generation))
        case .record(let claim, let end):
            return .isTaken(record(claim, as: end.state, dueAt: end.dueAt(now), at: now))
        case .sweep:
            sweep(at: now)
            return .isTaken(true)
        case .claim, .recover:
            guard case .claimed(let found, let generations) = result else { return .isTaken(false) }
            claims += zip(found, generations).map { ($0, $1) }
            if case .recover = move { return recover(found) ? result : .isTaken(false) }
            return claim(found, generations: generations) ? result : .isTaken(false)
        }
    }
}
