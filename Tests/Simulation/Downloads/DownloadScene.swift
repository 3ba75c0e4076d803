import Core
import Glibc
import Logging
import Service
import Store
import StoreSupport

/// The whole way of a download: users, queue, workers, origins, files and webhooks, while the process is killed and
/// started again, or its power goes.
///
/// After the last start and a time that the seed chooses nothing fails any more. Then everything comes to its end.
final class DownloadScene: Scene, @unchecked Sendable {
    let world: World
    let disk: Disk
    let origin: Origin
    let receiver: Receiver
    let users: Users
    let mix: DownloadMix
    let service: ServiceMix
    let traffic: TrafficWatch
    /// What is asked where nothing but an end of the process has bytes sent again; nil elsewhere.
    var repeats: RepeatWatch?
    var invariants = StoreInvariants(hasRecordOfMoves: false)
    var faults: [String] = []
    private let internet: Internet
    /// Whether the process has ended by itself, as it does when the disk fails.
    private var hasEnded = false
    private var commits: CommitWatch?
    /// That of the process that runs; nil if it has not started.
    private(set) var database: InspectedDatabase?

    /// How long everything has to come to its end, once nothing fails any more.
    private static let patience: UInt64 = 2 * 86_400 * 1_000_000_000

    init(_ world: World, _ disk: Disk) {
        (self.world, self.disk) = (world, disk)
        mix = DownloadMix(world)
        origin = Origin(Origin.Mix(hasLastingFaults: mix.hasLastingFaults))
        receiver = Receiver(hasLastingFaults: mix.hasLastingFaults)
        let longestPause = [12, 100, 800][world.choices.number(below: 3, .mix)]
        service = ServiceMix(world)
        traffic = TrafficWatch(rateLimit: service.rateLimit, keepsHolds: mix.failingCalls == 0)
        internet = Internet(origin, receiver, traffic, longestPause: longestPause)
        users = Users(service)
        // Where every byte takes its time, nothing but an end of the process may cost some.
        if service.rateLimit != nil { origin.isKind = true }
        if let rate = service.rateLimit, mix.failingCalls == 0 {
            repeats = RepeatWatch(
                window: SimulatedProcess.flushBytes,
                rate: rate,
                connections: Int64(SimulatedProcess.connections)
            )
        }
    }

    static func prepare(_ folder: String) throws {
        for name in ["files", "parts"] { mkdir("\(folder)/\(name)", 0o700) }
        SecondRoot.prepare(folder)
        try Store(.file("\(folder)/store.db"), encode: StoreStep.encode).close()
    }

    func run() throws -> [String] {
        if mix.setsClock { setClockNowAndThen() }
        for _ in 0..<mix.ends {
            try runUntilEnd()
            guard faults.isEmpty else { return faults }
        }
        // Nothing of the disk fails any more.
        disk.failAtCall(0, count: 0, 0)
        if let process = try start(), let database { try finish(process, database) }
        return faults
    }

    // MARK: - Processes that end

    /// Starts a process, and ends it in the middle.
    private func runUntilEnd() throws {
        let loss = Disk.Loss.allCases[world.choices.number(below: Disk.Loss.allCases.count, .kills)]
        let most = [100, 600, 2_000][world.choices.number(below: 3, .kills)]
        var lastStep = world.stepCount + world.choices.number(below: most, .kills)
        if world.choices.chance(oneIn: 2, .kills) {
            disk.endAtCall(1 + world.choices.number(below: most, .kills), loss)
            lastStep = world.stepCount + 20_000
        }
        if mix.failingCalls > 0 {
            let code = world.choices.chance(oneIn: 2, .disk) ? EIO : ENOSPC
            disk.failAtCall(1 + world.choices.number(below: most, .disk), count: mix.failingCalls, code)
        }
        let process = try start()
        let isOver = { [self] in
            lookAtCommit()
            return world.stepCount >= lastStep || disk.isAtEnd || hasEnded || !faults.isEmpty
        }
        if process != nil, !world.run(until: isOver) { world.note("nothing is left to do") }
        countStates()
        (commits, database) = (nil, nil)
        world.kill()
        disk.end(hasEnded ? .kill : loss) { [self] folder in
            let written = SecondRoot.mount(in: folder, from: disk.keptAside)
            if !written.isEmpty { faults.append("\(written) was written to a root that was away") }
            // The last process finds it.
            guard service.hasSecondRoot, world.killCount < mix.ends else { return }
            if world.choices.chance(oneIn: 2, .kills) { SecondRoot.unmount(in: folder, to: disk.keptAside) }
        }
    }

    /// What must hold while a process runs.
    private func lookAtCommit() {
        faults += traffic.faults + users.faults
        users.faults = []
        if let commits, !disk.isAtEnd { faults += commits.faults(of: &invariants) }
    }

    /// Starts a process, and lets the users work with it.
    ///
    /// - Returns: nil if it ended while it started, as it does when the disk fails.
    private func start() throws -> SimulatedProcess? {
        hasEnded = false
        let process: SimulatedProcess
        do {
            process = try world.complete("the start") { [self] in
                let logger = Logger(label: "simulation") { _ in TraceLog() }
                return try await SimulatedProcess(in: disk.folder, internet, service, logger)
            }
        } catch  where mayFail {
            world.note("the start failed: \(error)")
            hasEnded = true
            return nil
        }
        Task.detached { [self] in
            do {
                try await process.run()
            } catch {
                hasEnded = true
                world.note("the service ended: \(error)")
                if !mayFail { faults.append("the service ended: \(error)") }
            }
        }
        let database = try InspectedDatabase(path: "\(disk.folder)/store.db")
        self.database = database
        try check(database)
        let limits = LimitWatch(maxConcurrent: SimulatedProcess.maxConcurrent, maxPerHost: service.maxPerHost)
        commits = CommitWatch(database, limits, asksRules: mix.checksCommits)
        users.work(with: process.downloads)
        return process
    }

    /// Whether the disk may make a process end.
    private var mayFail: Bool { mix.failingCalls > 0 || disk.isAtEnd }

    private func setClockNowAndThen() {
        let pause = UInt64(1 + world.choices.number(below: 60, .clients)) * 1_000_000_000
        world.outlast(after: pause) { [self] in
            guard !origin.isKind else { return }
            let minutes = world.choices.number(below: 121, .clients) - 60
            world.setWall(by: .seconds(minutes * 60))
            setClockNowAndThen()
        }
    }

    // MARK: - The last process

    /// Waits until everything has come to its end, and stops the last process.
    private func finish(_ process: SimulatedProcess, _ database: InspectedDatabase) throws {
        let kindAt = world.now + UInt64(mix.kindAfter) * 1_000_000_000
        var (lookedAt, isOver) = (world.stepCount, false)
        let goesOn = world.run { [self] in
            if world.now > kindAt { (origin.isKind, receiver.isKind) = (true, true) }
            lookAtCommit()
            if world.stepCount - lookedAt > (world.isIdle ? 50 : 300) {
                lookedAt = world.stepCount
                isOver = origin.isKind && users.isIdle && (try? unended(in: database).isEmpty) == true
            }
            return isOver || !faults.isEmpty || world.now > kindAt + Self.patience
        }
        if !goesOn { faults.append("\(Standstill(what: "the last process"))") }
        if !isOver { faults += try unended(in: database).map { "not at its end: \($0)" } }
        guard faults.isEmpty else { return }
        try world.complete("the stop") { await process.stop() }
        process.close()
        try checkEnd(database)
    }
}

/// A log that is part of the trace.
private struct TraceLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level {
        get { .warning }
        set {}
    }
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        World.current.note("log: \(event.message) \(event.metadata ?? [:])")
    }
}
