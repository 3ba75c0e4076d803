import Core
import Store
import TestSupport

/// Calls about one session in an order that chance chose, each answer and each event held against a model.
struct SessionWalk {
    /// What differs from the model.
    struct Fault: Error {
        let text: String
    }

    private static let rounds = 12

    private let log: DrainLog
    private let executor: SerialExecutor
    private let name: SessionName
    private var time: Timestamp
    private var moves: SessionMoves
    private var model = SessionModel()
    /// What is left of actions on all downloads, which come in parts.
    private var actions: [(action: SessionAction, left: [DownloadID])] = []

    private var store: Store { log.store }

    /// - Parameter time: No other walk of the store has come as far.
    init(seed: UInt64, _ log: DrainLog, _ executor: SerialExecutor, at time: Timestamp) throws {
        guard let name = SessionName("s\(seed)") else { throw Fault(text: "seed \(seed) names no session") }
        (self.log, self.executor, self.name, self.time) = (log, executor, name, time)
        moves = SessionMoves(seed: seed)
    }

    mutating func run() async throws {
        let first = try log.lastSequence()
        for _ in 0..<Self.rounds {
            time = time + .milliseconds(Int64.random(in: 1...2000, using: &moves.generator))
            var round = moves.round(model, at: time)
            if let part = try await nextPart() {
                round.insert(part, at: Int.random(in: 0...round.count, using: &moves.generator))
            }
            try await take(round)
        }
        try await endAll()
        if let fault = try log.fault(of: name, after: first) { throw Fault(text: fault) }
    }

    /// Begins an action on all downloads now and then, and goes on with those that were begun.
    private mutating func nextPart() async throws -> SessionMove? {
        if moves.generator.chance(oneIn: 5) {
            let action = moves.generator.pick(SessionAction.allCases)
            let ids = try await store.downloads(of: name, for: action)
            guard Set(ids) == model.matches(action) else { throw Fault(text: "\(action) matches \(ids)") }
            actions.append((action, ids))
        }
        guard !actions.isEmpty else { return nil }
        let index = Int.random(in: 0..<actions.count, using: &moves.generator)
        let (action, left) = actions[index]
        let part = Array(left.prefix(2))
        actions[index].left.removeFirst(part.count)
        if actions[index].left.isEmpty { actions.remove(at: index) }
        return .act(action, part)
    }

    /// Lets whatever is open come to its end, so that nothing of this session is claimed by the walk of another.
    private mutating func endAll() async throws {
        for (_, item) in model.items where item.state == .running {
            guard let claim = item.claim else { throw Fault(text: "nobody runs what runs") }
            try await take([.settle(claim, item.isPublishing ? .completed : .failed)])
        }
        try await take([.act(.cancel, store.downloads(of: name, for: .cancel))])
        guard model.openCount == 0 else { throw Fault(text: "\(model.openCount) are left open") }
    }

    /// Makes the calls of a round at once, in a known order. The first is committed alone, and what comes while it is,
    /// together.
    private mutating func take(_ round: [SessionMove]) async throws {
        let tasks = round.map { move in
            Task(executorPreference: executor) { [log, name, time] in try await move.take(log.store, name, at: time) }
        }
        var answers: [SessionMove.Answer] = []
        for task in tasks { answers.append(try await task.value) }
        for (move, answer) in zip(round, answers) {
            let expected = model.take(move, &moves.claims, answer, at: time)
            guard expected == answer else { throw Fault(text: "\(move): \(answer), not \(expected), in \(round)") }
        }
        try await compare(after: round)
    }

    private func compare(after round: [SessionMove]) async throws {
        let (found, expected) = (try log.drains(of: name).map(\.record), model.drains.map(\.description))
        guard found == expected else { throw Fault(text: "\(found), not \(expected), after \(round)") }
        let session = try await store.session(name)?.session
        guard (session != nil) == model.isThere else { throw Fault(text: "\(session as Any) after \(round)") }
        guard let session else { return }
        guard (session.epoch, session.openCount, session.isSealed) == (model.epoch, model.openCount, model.isSealed)
        else { throw Fault(text: "\(session), not \(model), after \(round)") }
    }
}
