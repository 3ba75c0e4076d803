import Foundation
import GRDB
import Model
import ServiceSupport
import TestSupport
import Testing
import Wire

/// The promise, tested on the program itself: kill -9 loses no download that was answered 201, corrupts no
/// file, and leaves exactly one end of each.
@Suite(.timeLimit(.minutes(5)))
struct KillTests {
    private static let downloadCount = 50
    private static let sizes: [Int64] = [0, 1, 10 << 10, 256 << 10, 1 << 20, 3 << 20, 12 << 20, 40 << 20]
    /// Two windows of 16 MiB; what each connection has gathered for one write comes on top.
    private static let lossBound: Int64 = 2 * (16 << 20)
    private static let gathered: Int64 = 1 << 20

    @Test(arguments: zip([1, 8], [10, 20]))
    func everyDownloadSurvivesEachKillByteForByteAndEndsOnce(connections: Int, kills: Int) async throws {
        let seed =
            ProcessInfo.processInfo.environment["CORMORANT_TEST_SEED"].flatMap { UInt64($0) }
            ?? UInt64.random(in: 0..<1_000_000)
        print("kill test: seed \(seed)")
        var generator = SplitMix64(seed: seed)
        let folder = TemporaryFolder()
        let origin = Origin()
        let receiver = Origin(script: [.page(204)])
        defer {
            origin.stop()
            receiver.stop()
        }
        let contents = (0..<Self.downloadCount).map { index in
            Content(seed: seed &+ UInt64(index), size: Self.sizes[index % Self.sizes.count])
        }
        let scripts = contents.map { Self.script(for: $0, &generator) }
        for (index, content) in contents.enumerated() {
            origin.serve("/\(index)", content, script: scripts[index])
        }
        // The first drop of a script always comes, a later one may lie behind what is left of the file: so each
        // of these moments comes.
        let requestCount = scripts.reduce(0) { $0 + min($1.count, 2) }
        let moments = (0..<kills).map { _ in Int.random(in: 1...requestCount, using: &generator) }.sorted()
        let arguments = [
            "--webhook-url", receiver.url("/hook"), "--min-free-bytes", "0",
            "--connections-per-download", "\(connections)",
        ]

        var service = try await ServiceProcess(dataFolder: folder.path, arguments: arguments)
        for index in contents.indices {
            let answer = try await ServiceClient(port: service.port).post(
                "/downloads",
                #"{"url":"\#(origin.url("/\(index)"))","filename":"\#(index).bin","session":"kill"}"#
            )
            #expect(answer.status == 201)
        }
        var worstLoss: Int64 = 0
        for moment in moments {
            await origin.requests(atLeast: moment)
            try await service.kill()
            worstLoss = max(worstLoss, try Self.loss(in: folder.path))
            service = try await ServiceProcess(dataFolder: folder.path, arguments: arguments)
        }
        let ends = await Self.terminalEvents(at: receiver, count: Self.downloadCount)
        #expect(try await service.terminate() == 0)

        let lossBound = Self.lossBound + Self.gathered * Int64(connections)
        print(
            "kill test: \(connections) connections, \(kills) kills, worst loss \(worstLoss) bytes, bound \(lossBound)"
        )
        #expect(worstLoss <= lossBound)
        for (index, content) in contents.enumerated() {
            #expect(content.matches(fileAt: "\(folder.path)/downloads/\(index).bin"), "file \(index), seed \(seed)")
        }
        #expect(ends.count == Self.downloadCount)
        try Self.checkRows(in: folder.path)
    }

    /// A few drops at random bytes, then a good answer.
    private static func script(for content: Content, _ generator: inout SplitMix64) -> [Behaviour] {
        guard content.size > 1 else { return [.good] }
        let drops = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
            Behaviour.dropping(
                after: Int64.random(in: 1..<content.size, using: &generator),
                by: Bool.random(using: &generator) ? .fin : .reset
            )
        }
        return drops + [.good]
    }

    /// How many bytes of a part file no record claims: what the kill cost, at the worst of all downloads.
    private static func loss(in folder: String) throws -> Int64 {
        var configuration = Configuration()
        configuration.readonly = true
        let database = try DatabaseQueue(path: "\(folder)/cormorant.db", configuration: configuration)
        let rows = try database.read {
            try Row.fetchAll($0, sql: "SELECT id, generation, durable_bytes FROM download WHERE state = 'running'")
        }
        return try rows.map { row in
            let id: String = row["id"]
            let generation: Int = row["generation"]
            let durable: Int64 = row["durable_bytes"]
            let path = "\(folder)/parts/\(id).g\(generation).part"
            guard FileManager.default.fileExists(atPath: path) else { return 0 }
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64 ?? 0
            #expect(size >= durable, "the record of \(id) leads its file")
            return size - durable
        }.max() ?? 0
    }

    /// Waits until the ends of so many downloads have arrived; an event that came twice counts once.
    private static func terminalEvents(at receiver: Origin, count: Int) async -> [String: String] {
        var seen = 0
        while true {
            let requests = await receiver.requests(atLeast: seen + 1)
            seen = requests.count
            var ends: [String: String] = [:]
            for request in requests {
                guard let body = try? JSONValue(parsing: request.body), let type = body["type"]?.text else { continue }
                guard type.hasPrefix("download."), let id = body["data"]?["id"]?.text else { continue }
                let event = request.value(of: "webhook-id") ?? ""
                #expect(ends[id] == nil || ends[id] == event, "two ends of \(id)")
                ends[id] = event
                #expect(type == "download.completed")
            }
            if ends.count >= count { return ends }
        }
    }

    private static func checkRows(in folder: String) throws {
        let database = try DatabaseQueue(path: "\(folder)/cormorant.db")
        try database.read { database in
            let completed = try Int.fetchOne(database, sql: "SELECT count(*) FROM download WHERE state = 'completed'")
            #expect(completed == downloadCount)
            let ends = try Int.fetchOne(database, sql: "SELECT count(*) FROM event WHERE terminal = 1")
            #expect(ends == downloadCount)
            let check = try String.fetchOne(database, sql: "PRAGMA integrity_check")
            #expect(check == "ok")
        }
        let parts = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/parts")
        #expect(parts.isEmpty)
    }
}
