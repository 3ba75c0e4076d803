import API
import Core
import Foundation
import GRDB
import ServiceSupport
import Testing
import TestSupport

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
