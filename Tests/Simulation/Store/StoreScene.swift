import Core
import Store
import StoreSupport

/// Four users of one store, whose process is killed and started again, or whose power goes.
///
/// What was answered must be there afterwards, and the rules of the store hold at each restart.
final class StoreScene: Scene, @unchecked Sendable {
    private static let clients = 4

    private let world: World
    private let disk: Disk
    private var promises = Promises()
    private var invariants = StoreInvariants(hasRecordOfMoves: false)
    private var faults: [String] = []
    /// The users who are not done.
    private var working = 0

    /// - Parameter disk: Its folder holds an empty store.
    init(_ world: World, _ disk: Disk) {
        (self.world, self.disk) = (world, disk)
    }

    static func prepare(_ folder: String) throws {
        try open(folder).close()
    }

    func run() throws -> [String] {
        let restarts = world.choices.number(below: 4, .mix)
        var walk: StoreWalk?
        for process in 0...restarts {
            let store = try Self.open(disk.folder)
            let next = StoreWalk(on: store, after: walk)
            walk = next
            if process > 0 {
                try world.complete("the recovery") {
                    _ = try await store.recover(after: .all, node: "next", now: World.current.wall)
                }
                try check()
            } else {
                try world.complete("a webhook") {
                    try await store.configureWebhook(StoreStep.url(), now: World.current.wall)
                }
            }
            let isKilled = live(next, isLast: process == restarts)
            guard faults.isEmpty else { return faults }
            if isKilled { end() } else { store.close() }
            if !isKilled { disk.end(.kill) }
        }
        let store = try Self.open(disk.folder)
        try check()
        store.close()
        return faults
    }

    /// Lets the users work, until they have done what they want or the process is killed.
    ///
    /// - Returns: Whether it is killed.
    private func live(_ walk: StoreWalk, isLast: Bool) -> Bool {
        working = Self.clients
        for _ in 0..<Self.clients {
            let steps = 1 + world.choices.number(below: 12, .clients)
            Task.detached { [self] in
                await use(walk, steps: steps)
                working -= 1
            }
        }
        let lastStep = isLast ? Int.max : world.stepCount + world.choices.number(below: 400, .kills)
        if !world.run(until: { working == 0 || world.stepCount >= lastStep }) {
            faults.append("\(Standstill(what: "the users"))")
        }
        return working > 0
    }

    private func use(_ walk: StoreWalk, steps: Int) async {
        var generator = ChoiceGenerator(stream: .clients)
        for _ in 0..<steps {
            await world.sleep(milliseconds: world.choices.number(below: 20, .clients))
            let step = walk.nextStep(using: &generator)
            expectDeletions(by: step)
            do {
                let promise = try await walk.apply(step, at: world.wall)
                switch promise {
                case .present(let id, let revision)?: promises.recordPresent(id, revision: revision)
                case .gone(let id)?: promises.recordGone(id)
                case nil: break
                }
                world.note("\(step) → \(promise.map { "\($0)" } ?? "-")")
            } catch {
                world.note("\(step) → \(error)")
                faults.append("\(step): \(error)")
            }
        }
    }

    /// Notes what a call may delete, before its answer comes.
    private func expectDeletions(by step: StoreStep) {
        switch step {
        case .delete(let id, _): promises.doubt(id)
        case .purge: promises.doubtAll()
        default: break
        }
    }

    /// Kills the process, or the power goes.
    private func end() {
        let loss = Disk.Loss.allCases[world.choices.number(below: Disk.Loss.allCases.count, .kills)]
        world.kill()
        disk.end(loss)
    }

    private func check() throws {
        let database = try InspectedDatabase(path: Self.databasePath(disk.folder))
        faults += try invariants.faults(in: database)
        faults += try promises.faults(in: database)
        let integrity = try database.rows("PRAGMA integrity_check", columns: 1).map { $0[0] ?? "" }
        if integrity != ["ok"] { faults.append("the database is damaged: \(integrity)") }
    }

    // MARK: -

    private static func databasePath(_ folder: String) -> String { "\(folder)/store.db" }

    private static func open(_ folder: String) throws -> Store {
        try Store(.file(databasePath(folder)), encode: StoreStep.encode)
    }
}
