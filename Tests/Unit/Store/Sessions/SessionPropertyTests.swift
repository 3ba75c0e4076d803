import Core
import FoundationEssentials
import StoreSupport
import TestSupport
import Testing

@testable import Store

/// `session.finished`: exactly once for each epoch, and telling what is so, in whatever order the calls come.
///
/// `CORMORANT_SESSION_RUNS` sets how many orders, `CORMORANT_TEST_SEED` the first one's seed.
@Suite struct SessionPropertyTests {
    private static let shards = 4

    @Test(arguments: 0..<shards)
    func aSessionFinishesOncePerEpochInAnyOrder(shard: Int) async throws {
        let environment = ProcessInfo.processInfo.environment
        let runs = environment["CORMORANT_SESSION_RUNS"].flatMap { Int($0) } ?? 300
        let firstSeed = environment["CORMORANT_TEST_SEED"].flatMap { UInt64($0) } ?? 1
        if shard == 0 { print("session test: \(runs) runs from seed \(firstSeed)") }
        let (log, executor) = (try FinishLog(), SerialExecutor())

        for run in stride(from: shard, to: runs, by: Self.shards) {
            let seed = firstSeed &+ UInt64(run)
            let fault = await Self.fault(seed: seed, log, executor, at: Fixture.at(Int64(run) * 60))

            #expect(fault == nil, "seed \(seed): \(fault ?? "")")
            if fault != nil { return }
        }
    }

    private static func fault(
        seed: UInt64,
        _ log: FinishLog,
        _ executor: SerialExecutor,
        at time: Timestamp
    ) async -> String? {
        do {
            var simulation = try SessionSimulation(seed: seed, log, executor, at: time)
            try await simulation.run()
            return nil
        } catch {
            return "\(error)"
        }
    }
}

/// Calls about one session in an order that chance chose, each answer and each event held against a model.
struct SessionSimulation {
    /// What differs from the model.
    struct Fault: Error {
        let text: String
    }

    private static let rounds = 12

    private let log: FinishLog
    private let executor: SerialExecutor
    private let name: SessionName
    private var time: Timestamp
    private var moves: SessionMoves
    private var model = SessionModel()
    /// What is left of actions on all downloads, which come in parts.
    private var actions: [(action: SessionAction, left: [DownloadID])] = []

    private var store: Store { log.store }

    /// - Parameter time: No other walk of the store has come as far.
    init(seed: UInt64, _ log: FinishLog, _ executor: SerialExecutor, at time: Timestamp) throws {
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
            try await apply(round)
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
            try await apply([.record(claim, item.isPublishing ? .completed : .failed)])
        }
        try await apply([.act(.cancel, store.downloads(of: name, for: .cancel))])
        guard model.openCount == 0 else { throw Fault(text: "\(model.openCount) are left open") }
    }

    /// Makes the calls of a round at once, in a known order. The first is committed alone, and what comes while it is,
    /// together.
    private mutating func apply(_ round: [SessionMove]) async throws {
        let tasks = round.map { move in
            Task(executorPreference: executor) { [log, name, time] in try await move.apply(log.store, name, at: time) }
        }
        var results: [SessionMove.Result] = []
        for task in tasks { results.append(try await task.value) }
        for (move, result) in zip(round, results) {
            let expected = model.apply(move, &moves.claims, result, at: time)
            guard expected == result else { throw Fault(text: "\(move): \(result), not \(expected), in \(round)") }
        }
        try await compare(after: round)
    }

    private func compare(after round: [SessionMove]) async throws {
        let (found, expected) = (try log.finishes(of: name).map(\.record), model.finishes.map(\.description))
        guard found == expected else { throw Fault(text: "\(found), not \(expected), after \(round)") }
        let session = try await store.session(name)?.session
        guard (session != nil) == model.isThere else { throw Fault(text: "\(session as Any) after \(round)") }
        guard let session else { return }
        guard (session.epoch, session.openCount, session.isSealed) == (model.epoch, model.openCount, model.isSealed)
        else { throw Fault(text: "\(session), not \(model), after \(round)") }
    }
}

/// A store whose events of sessions can be read back, with a second connection that looks behind it.
final class FinishLog: Sendable {
    let store: Store
    private let folder: TemporaryFolder
    private let window: DatabaseWindow

    init() throws {
        folder = TemporaryFolder()
        let path = "\(folder.path)/store.db"
        store = try Store(.file(path)) { event, _ in
            guard case .session(let finished) = event.subject else { return [] }
            return Array("\(finished.lastSequence) \(FinishRecord(finished))".utf8)
        }
        window = try DatabaseWindow(path: path)
    }

    /// What the events of a session say, each with the number of the last event before its end.
    func finishes(of session: SessionName) throws -> [(record: String, lastSequence: Int64)] {
        let texts = try window.read { database in
            try database.all(
                Blob.self,
                "SELECT body FROM event WHERE session = ? AND type = 'session.finished' ORDER BY session_epoch",
                [session]
            ).map { String(decoding: $0.bytes, as: UTF8.self) }
        }
        return texts.map { text in
            let parts = text.split(separator: " ", maxSplits: 1)
            return (String(parts[1]), Int64(parts[0]) ?? 0)
        }
    }

    func lastSequence() throws -> Int64 {
        try window.read { try $0.first(Int64.self, "SELECT max(seq) FROM event") } ?? 0
    }

    /// Plays the events of a session again.
    ///
    /// - Parameter sequence: They came after this one.
    /// - Returns: What is wrong with them; nil where nothing is.
    func fault(of session: SessionName, after sequence: Int64) throws -> String? {
        let columns = SessionReplay.Event.columns
        let rows = try window.rows(
            """
            SELECT \(columns.joined(separator: ", ")) FROM event
            WHERE seq > \(sequence) AND session = '\(session)' ORDER BY seq
            """,
            columns: columns.count
        )
        var replay = SessionReplay()
        var ends: [Int64] = []
        var previous: Int64 = 0
        for event in rows.map(SessionReplay.Event.init) {
            replay.apply(event)
            if event.type == "session.finished" { ends.append(previous) }
            previous = event.sequence
        }
        if let fault = replay.fault { return fault }
        if replay.mustFinish { return "it finished without an event" }
        return ends == (try finishes(of: session).map(\.lastSequence)) ? nil : "the last event is another"
    }
}

/// What one `session.finished` says, but for the number of the last event, in a text that can be stored and compared.
struct FinishRecord: Hashable, CustomStringConvertible {
    var epoch: Int64
    var isSealed = false
    var completed = 0
    var failed = 0
    var cancelled = 0
    var receivedBytes: Int64 = 0
    var startedAt: Timestamp
    var finishedAt: Timestamp
    var failedIDs: [String] = []

    var description: String {
        let numbers = [epoch, isSealed ? 1 : 0, Int64(completed), Int64(failed), Int64(cancelled), receivedBytes]
        let times = [startedAt.milliseconds, finishedAt.milliseconds]
        return ((numbers + times).map(String.init) + failedIDs).joined(separator: " ")
    }

    init(epoch: Int64, startedAt: Timestamp, finishedAt: Timestamp) {
        self.epoch = epoch
        self.startedAt = startedAt
        self.finishedAt = finishedAt
    }

    init(_ finished: FinishedSession) {
        self.init(epoch: finished.epoch, startedAt: finished.startedAt, finishedAt: finished.finishedAt)
        isSealed = finished.isSealed
        completed = finished.counts[.completed] ?? 0
        failed = finished.counts[.failed] ?? 0
        cancelled = finished.counts[.cancelled] ?? 0
        receivedBytes = finished.receivedBytes
        failedIDs = finished.failed.map(\.text)
    }
}
