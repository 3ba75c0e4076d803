import Core
import Glibc
import Logging
import Service
import Store
import StoreSupport

/// The whole way of a download: users, queue, workers, origins, files and webhooks, while the process is killed and
/// started again, or its power goes.
///
/// After the last kill and a time that the seed chooses nothing fails any more. Then everything comes to its end.
final class DownloadScene: Scene, @unchecked Sendable {
    private let world: World
    private let disk: Disk
    private let origin: Origin
    private let receiver: Receiver
    private let internet: Internet
    private var users: Users
    private var invariants = StoreInvariants(hasRecordOfMoves: false)
    private var faults: [String] = []

    /// How long everything has to come to its end, once nothing fails any more.
    private static let patience: UInt64 = 2 * 86_400 * 1_000_000_000

    init(_ world: World, _ disk: Disk) {
        (self.world, self.disk) = (world, disk)
        origin = Origin(Origin.Mix())
        receiver = Receiver()
        internet = Internet(origin, receiver)
        users = Users()
    }

    static func prepare(_ folder: String) throws {
        for name in ["files", "parts"] { mkdir("\(folder)/\(name)", 0o700) }
        try Store(.file("\(folder)/store.db"), encode: StoreStep.encode).close()
    }

    func run() throws -> [String] {
        let kills = world.choices.number(below: 4, .mix)
        for _ in 0..<kills {
            _ = try start()
            let step =
                world.stepCount
                + world.choices.number(below: [100, 600, 2_000][world.choices.number(below: 3, .kills)], .kills)
            if !world.run(until: { world.stepCount >= step }) { break }
            let loss = Disk.Loss.allCases[world.choices.number(below: Disk.Loss.allCases.count, .kills)]
            world.note("the process ends: \(loss)")
            world.kill()
            disk.end(loss)
            try checkAtRest()
            guard faults.isEmpty else { return faults }
        }
        try finish(try start())
        return faults
    }

    /// Starts a process, and lets the users work with it.
    private func start() throws -> SimulatedProcess {
        let process = try world.complete("the start") { [self] in
            try await SimulatedProcess(in: disk.folder, internet, Logger(label: "simulation") { _ in TraceLog() })
        }
        Task.detached { [self] in
            do { try await process.run() } catch { faults.append("the service ended: \(error)") }
        }
        users.work(with: process.downloads)
        return process
    }

    /// Waits until everything has come to its end, and stops the last process.
    private func finish(_ process: SimulatedProcess) throws {
        let database = try InspectedDatabase(path: "\(disk.folder)/store.db")
        let kindAfter = world.now + UInt64([5, 60, 3600][world.choices.number(below: 3, .kills)]) * 1_000_000_000
        var (lookedAt, isOver) = (world.stepCount, false)
        let isDone = world.run {
            if world.now > kindAfter { (origin.isKind, receiver.isKind) = (true, true) }
            if world.stepCount - lookedAt > 300 {
                lookedAt = world.stepCount
                isOver = origin.isKind && users.isIdle && (try? Self.openCount(database)) == 0
            }
            return isOver || !faults.isEmpty || world.now > kindAfter + Self.patience
        }
        if !isDone { faults.append("all wait, and nothing is due") }
        if !isOver { faults += try Self.unended(database).map { "not at its end: \($0)" } }
        try database.close()
        guard faults.isEmpty else { return }
        try world.complete("the stop") { await process.stop() }
        process.close()
        try checkAtRest()
        try checkEnds()
    }

    private static let open = """
        state NOT IN ('completed', 'failed', 'cancelled', 'paused')
            AND NOT (state = 'waiting' AND waiting_for = 'resume')
        """

    private static func openCount(_ database: InspectedDatabase) throws -> Int {
        let query = """
            SELECT (SELECT count(*) FROM download WHERE \(open))
                + (SELECT count(*) FROM delivery WHERE state IN ('pending', 'in_flight'))
            """
        return try database.rows(query, columns: 1).first?[0].flatMap(Int.init) ?? 0
    }

    private static func unended(_ database: InspectedDatabase) throws -> [String] {
        let query = """
            SELECT id || ' ' || state || ' ' || coalesce(waiting_for, '') || ' ' || coalesce(error_code, '')
            FROM download WHERE \(open)
            UNION ALL SELECT 'delivery ' || id || ' ' || state FROM delivery WHERE state IN ('pending', 'in_flight')
            """
        return try database.rows(query, columns: 1).map { $0[0] ?? "" }
    }

    // MARK: - What must hold

    /// While no process runs.
    private func checkAtRest() throws {
        let database = try InspectedDatabase(path: "\(disk.folder)/store.db")
        faults += try invariants.faults(in: database)
        faults += try users.promises.faults(in: database)
        for row in try database.rows("SELECT id, file_path FROM download WHERE state = 'completed'", columns: 2) {
            if let fault = fault(ofFile: row[1] ?? "", of: row[0] ?? "") { faults.append(fault) }
        }
        try database.close()
    }

    /// A completed file is one version of its origin, byte for byte.
    private func fault(ofFile path: String, of id: String) -> String? {
        guard let bytes = readFile("\(disk.folder)/files/\(path)") else {
            return "\(id) is completed without its file \(path)"
        }
        guard let file = users.file(of: id) else { return nil }
        let isOne = origin.contents(of: file).contains {
            $0.size == bytes.count && $0.bytes(from: 0, count: $0.size) == bytes
        }
        return isOne ? nil : "\(id) is completed with \(bytes.count) bytes that are no version of file \(file)"
    }

    /// After everything has come to its end.
    private func checkEnds() throws {
        let database = try InspectedDatabase(path: "\(disk.folder)/store.db")
        let failed = try database.rows(
            "SELECT id || ' ' || coalesce(error_code, '') FROM download WHERE state = 'failed'",
            columns: 1
        )
        faults += failed.map { "failed, though nothing fails any more: \($0[0] ?? "")" }
        let undelivered = try database.rows(
            "SELECT id FROM event WHERE terminal = 1 OR type = 'session.finished'",
            columns: 1
        )
        for row in undelivered where receiver.accepted[row[0] ?? ""] == nil {
            faults.append("\(row[0] ?? "") was not delivered")
        }
        try database.close()
    }

    private func readFile(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 18))
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
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
