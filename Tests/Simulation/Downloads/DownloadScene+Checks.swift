import Core
import Foundation
import StoreSupport

// What must hold. Each check is an entry of the table of docs/SIMULATION.md.
extension DownloadScene {
    /// After a start: what was answered is there, the rules of the store hold, and completed files are right.
    func checkRunning() throws {
        let database = try InspectedDatabase(path: "\(disk.folder)/store.db")
        faults += try invariants.faults(in: database)
        faults += try users.promises.faults(in: database)
        faults += try fileFaults(in: database)
        try database.close()
    }

    /// After the last stop.
    func checkEnd() throws {
        try checkRunning()
        let database = try InspectedDatabase(path: "\(disk.folder)/store.db")
        faults += try failureFaults(in: database)
        faults += try deliveryFaults(in: database)
        faults += try litterFaults(in: database)
        for row in try database.rows("SELECT state || coalesce(' ' || error_code, '') FROM download", columns: 1) {
            world.count("ends \(row[0] ?? "")")
        }
        try database.close()
    }

    /// What is not at its end, though it could be.
    func unended(in database: InspectedDatabase) throws -> [String] {
        let downloads = try database.rows(
            """
            SELECT id, state || ' ' || coalesce(waiting_for, '') || ' ' || coalesce(error_code, '') FROM download
            WHERE state NOT IN ('completed', 'failed', 'cancelled', 'paused')
                AND NOT (state = 'waiting' AND waiting_for = 'resume')
            """,
            columns: 2
        )
        let deliveries = try database.rows(
            "SELECT id || ' ' || state FROM delivery WHERE state IN ('pending', 'in_flight')",
            columns: 1
        )
        let open = downloads.filter { row in
            users.file(of: row[0] ?? "").map { !origin.isDead($0) } ?? true
        }
        return open.map { "\($0[0] ?? "") \($0[1] ?? "")" }
            + (receiver.isDead ? [] : deliveries.map { "the delivery \($0[0] ?? "")" })
    }

    /// Counts the states in which a process ends.
    func countStates() throws {
        guard let database = try? InspectedDatabase(path: "\(disk.folder)/store.db") else { return }
        let query = "SELECT state || coalesce(' ' || phase, '') || coalesce(' ' || waiting_for, '') FROM download"
        for row in (try? database.rows(query, columns: 1)) ?? [] { world.count("ended while \(row[0] ?? "")") }
        try? database.close()
    }

    // MARK: - Files

    /// A completed file is one version of its origin, byte for byte.
    private func fileFaults(in database: InspectedDatabase) throws -> [String] {
        let query = "SELECT id, file_path FROM download WHERE state = 'completed' AND file_expired_at IS NULL"
        return try database.rows(query, columns: 2).compactMap { row in
            let (id, path) = (row[0] ?? "", row[1] ?? "")
            guard let bytes = FileManager.default.contents(atPath: "\(disk.folder)/files/\(path)") else {
                return users.mayRemoveFile(of: id) ? nil : "\(id) is completed without its file \(path)"
            }
            guard let file = users.file(of: id) else { return nil }
            let isOne = origin.contents(of: file).contains {
                $0.size == bytes.count && bytes.elementsEqual($0.bytes(from: 0, count: $0.size))
            }
            return isOne ? nil : "\(id) is completed with \(bytes.count) bytes that are no version of file \(file)"
        }
    }

    /// A part file belongs to a download that may go on with it.
    private func litterFaults(in database: InspectedDatabase) throws -> [String] {
        let query = "SELECT id FROM download WHERE state NOT IN ('completed', 'cancelled')"
        let open = Set(try database.rows(query, columns: 1).map { $0[0] ?? "" })
        let parts = try FileManager.default.contentsOfDirectory(atPath: "\(disk.folder)/parts").sorted()
        return parts.filter { name in !open.contains { name.hasPrefix($0) } }
            .map { "the part file \($0) belongs to nobody" }
    }

    // MARK: - Ends

    /// A download fails only if its origin refuses the file for ever.
    private func failureFaults(in database: InspectedDatabase) throws -> [String] {
        let query = "SELECT id, coalesce(error_code, '') FROM download WHERE state = 'failed'"
        return try database.rows(query, columns: 2).filter { row in
            users.file(of: row[0] ?? "").map { !origin.isDead($0) } ?? true
        }.map { "failed, though its origin works: \($0[0] ?? "") \($0[1] ?? "")" }
    }

    /// The receiver has accepted each event that it is to be told of.
    private func deliveryFaults(in database: InspectedDatabase) throws -> [String] {
        guard !receiver.isDead else { return [] }
        let query = "SELECT id FROM event WHERE terminal = 1 OR type = 'session.finished'"
        return try database.rows(query, columns: 1).compactMap { row in
            receiver.accepted[row[0] ?? ""] == nil ? "\(row[0] ?? "") was not delivered" : nil
        }
    }
}
