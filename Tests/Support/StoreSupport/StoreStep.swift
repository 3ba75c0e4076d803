public import Core
import TestSupport

/// One call to the store, with everything but the claim or download that it is about.
public enum StoreStep: Sendable {
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

extension StoreStep: StoreSamples {
    /// A step about one of the downloads and claims that were ever seen, stale ones included.
    public static func random<Generator: RandomNumberGenerator>(
        _ downloads: [DownloadID],
        _ claims: [Claim],
        using generator: inout Generator
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

    private static func create<Generator: RandomNumberGenerator>(_ generator: inout Generator) -> Self {
        .create(
            session: generator.pick(["s", "s", "t", nil]),
            host: generator.pick(["a", "b"]),
            starts: !generator.chance(oneIn: 5),
            dedupeKey: generator.pick(["k", nil, nil])
        )
    }

    private static func outcome<Generator: RandomNumberGenerator>(_ generator: inout Generator) -> ClaimOutcome {
        let deferral = Deferral(
            reason: generator.pick(WaitingFor.allCases),
            until: generator.pick([nil, at(50)]),
            error: error,
            startsOver: generator.chance(oneIn: 4)
        )
        var edit = DownloadEdit()
        edit.url = url(host: "b")
        return generator.pick([
            .completed, .completed, .failed(error), .deferred(deferral), .deferred(deferral), .interrupted,
            .urlRefreshed(edit, error, until: generator.pick([nil, at(50)])),
        ])
    }
}
