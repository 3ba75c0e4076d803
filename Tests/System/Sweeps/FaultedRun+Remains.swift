import API
import Foundation
import GRDB
import ServiceSupport
import TestSupport

/// What must hold at the end of each life.
extension FaultedRun {
    /// The ids under which an event of a download was delivered.
    func webhookIDs(_ type: String, of id: String) -> Set<String> {
        Set(receiver.deliveries.filter { $0.type == type && $0.data["id"]?.text == id }.map(\.id))
    }

    /// How many files are to be removed, by the record of a running service.
    func openRemovals() throws -> Int {
        var configuration = Configuration()
        configuration.readonly = true
        return try DatabaseQueue(path: "\(data)/cormorant.db", configuration: configuration)
            .read { try Int.fetchOne($0, sql: "SELECT count(*) FROM storage_task") ?? 0 }
    }

    func check(_ remains: Life.Remains) throws {
        try checkDatabase(remains)
        checkFiles(remains.files)
    }

    private func checkDatabase(_ remains: Life.Remains) throws {
        let database = try DatabaseQueue(path: "\(data)/cormorant.db")
        try database.read { database in
            for (type, count) in remains.events.sorted(by: { $0.key < $1.key }) {
                let sql = "SELECT count(*) FROM event WHERE type = ?"
                let found = try Int.fetchOne(database, sql: sql, arguments: [type]) ?? 0
                if found != count { faults.append("\(type) \(found) times, not \(count)") }
            }
            let records = try Int.fetchOne(database, sql: "SELECT count(*) FROM download") ?? 0
            if records != remains.records { faults.append("\(records) records, not \(remains.records)") }
            let check = try String.fetchOne(database, sql: "PRAGMA integrity_check") ?? ""
            if check != "ok" { faults.append("the database: \(check)") }
            let operations = try Int.fetchOne(database, sql: "SELECT count(*) FROM operation") ?? 0
            let ends = "SELECT count(*) FROM event WHERE type = 'operation.finished'"
            let found = try Int.fetchOne(database, sql: ends) ?? 0
            if found != operations { faults.append("\(found) ends of \(operations) operations") }
            try checkEvents(database)
        }
    }

    private struct Run: Hashable {
        let download: String
        let number: Int64
    }

    /// Each run has one end, which was delivered under one id, that of its record.
    private func checkEvents(_ database: Database) throws {
        var recorded: [Run: [String]] = [:]
        let sql = "SELECT download, run, id FROM event WHERE terminal = 1"
        for row in try Row.fetchAll(database, sql: sql) {
            recorded[Run(download: row["download"], number: row["run"]), default: []].append(row["id"])
        }
        var delivered: [Run: Set<String>] = [:]
        for delivery in receiver.deliveries
        where ["completed", "failed", "cancelled"].contains(delivery.type.dropFirst(9)) {
            guard let id = delivery.data["id"]?.text else { continue }
            let number = delivery.data["counters"]?["run"]?.integer ?? 0
            delivered[Run(download: id, number: number), default: []].insert(delivery.id)
        }
        for (run, ids) in recorded where ids.count != 1 {
            faults.append("doubled: \(ids.count) ends of run \(run.number) of \(run.download)")
        }
        for (run, ids) in delivered where ids != Set(recorded[run] ?? []) {
            faults.append("run \(run.number) of \(run.download) was told as \(ids), recorded as \(recorded[run] ?? [])")
        }
        for run in recorded.keys where delivered[run] == nil && ids.contains(run.download) {
            faults.append("lost: no delivery of the end of run \(run.number) of \(run.download)")
        }
    }

    private func checkFiles(_ expected: [String: Content?]) {
        var left = names(below: "\(data)/downloads")
        for (name, content) in expected {
            if left.remove(name) == nil {
                faults.append("lost: no file \(name)")
            } else if let content, !content.matches(fileAt: path(name)) {
                faults.append("corrupt: \(name)")
            }
        }
        if !left.isEmpty { faults.append("the downloads folder holds \(left.sorted())") }
        let parts = names(below: "\(data)/parts")
        if !parts.isEmpty { faults.append("the folder of part files holds \(parts.sorted())") }
        let temporary = folder.names(in: "data").filter { $0.hasPrefix(".") }
        if !temporary.isEmpty { faults.append("the data folder holds \(temporary)") }
    }

    /// The files in a folder and in those below it.
    private func names(below path: String) -> Set<String> {
        let all = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return Set(
            all.filter { name in
                var isFolder: ObjCBool = false
                return FileManager.default.fileExists(atPath: "\(path)/\(name)", isDirectory: &isFolder)
                    && !isFolder.boolValue
            }
        )
    }
}
