import API
import Core
import Foundation
import GRDB
import ServiceSupport
import TestSupport
import Testing

/// The promise, tested on the program itself: kill -9 loses no download that was answered 201, corrupts no
/// file, and leaves exactly one end of each.
@Suite(.hangLimit)
struct KillTests {
    private static let downloadCount = 50
    private static let sizes: [Int64] = [0, 1, 10 << 10, 256 << 10, 1 << 20, 3 << 20, 12 << 20, 40 << 20]

    /// What several connections lose, and that it is bounded, `SegmentedKillTests` says.
    @Test(arguments: zip([1, 8], [10, 20]))
    func everyDownloadSurvivesEachKillByteForByteAndEndsOnce(connections: Int, kills: Int) async throws {
        let seed = KillRun.seed
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
            let response = try await ServiceClient(port: service.port).post(
                "/downloads",
                #"{"url":"\#(origin.url("/\(index)"))","filename":"\#(index).bin","session":"kill"}"#
            )
            #expect(response.status == 201)
        }
        for moment in moments {
            await origin.requests(atLeast: moment)
            try await service.kill()
            service = try await ServiceProcess(dataFolder: folder.path, arguments: arguments)
            try await ServiceClient(port: service.port).resumeAll(of: "kill")
        }
        let run = KillRun(folder: folder.path, downloadCount: Self.downloadCount)
        let ends = await run.terminalEvents(at: receiver)
        #expect(try await service.terminate() == 0)

        let corrupt = contents.enumerated().filter { index, content in
            !content.matches(fileAt: "\(folder.path)/downloads/\(index).bin")
        }
        let lost = Self.downloadCount - ends.count
        print("kill test: \(connections) connections, \(kills) kills, lost \(lost), corrupt \(corrupt.count)")
        #expect(corrupt.isEmpty, "seed \(seed)")
        #expect(ends.count == Self.downloadCount)
        try run.checkRows()
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
}

/// What a service that was killed left, read beside it.
struct KillRun {
    /// One that was given (`CORMORANT_TEST_SEED`), so that a run can be made again.
    static var seed: UInt64 { number("CORMORANT_TEST_SEED") ?? UInt64.random(in: 0..<1_000_000) }

    let folder: String
    let downloadCount: Int

    static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    /// What is recorded of a download.
    struct Record {
        let state: String
        let durableBytes: Int64
        let partPath: String
        /// What each segment claims.
        let claims: [Range<Int64>]
    }

    func record(of id: String) throws -> Record {
        var configuration = Configuration()
        configuration.readonly = true
        let database = try DatabaseQueue(path: "\(folder)/cormorant.db", configuration: configuration)
        return try database.read { database in
            let sql = "SELECT state, generation, durable_bytes FROM download WHERE id = ?"
            let row = try #require(try Row.fetchOne(database, sql: sql, arguments: [id]))
            let generation: Int = row["generation"]
            let claims = try Row.fetchAll(
                database,
                sql: "SELECT start_byte, durable_end FROM segment WHERE download = ? AND generation = ?",
                arguments: [id, generation]
            ).map { $0["start_byte"]..<$0["durable_end"] as Range<Int64> }
            return Record(
                state: row["state"],
                durableBytes: row["durable_bytes"],
                partPath: "\(folder)/parts/\(id).g\(generation).part",
                claims: claims
            )
        }
    }

    /// Waits until the ends of so many downloads have arrived; an event that came twice counts once.
    func terminalEvents(at receiver: Origin) async -> [String: String] {
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
            if ends.count >= downloadCount { return ends }
        }
    }

    /// Each download is completed and has ended once, and nothing is left of any.
    func checkRows() throws {
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
