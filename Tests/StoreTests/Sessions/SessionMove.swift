import Core
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
    case settle(Claim, End)
    case sweep
    case recover

    enum End: CaseIterable { case completed, failed, held, interrupted }
}

/// Chooses moves, most of them such that they race for the end of a drain.
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
            let wanted: DownloadAction = model.items[id]?.isOpen == false ? .retry : .cancel
            let action = generator.pick(DownloadAction.allCases + [wanted, wanted])
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
            return .settle(claim, isPublishing ? .completed : generator.pick([.failed, .failed, .held, .interrupted]))
        }
    }
}
