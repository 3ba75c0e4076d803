import Core
import Foundation
import StoreSupport

// What must hold. Each check is an entry of the table of docs/SIMULATION.md.
extension DownloadScene {
    /// After a start: what was answered is there, the rules of the store hold, and completed files are right.
    func check(_ database: InspectedDatabase) throws {
        faults += try invariants.faults(in: database)
        faults += try users.promises.faults(in: database)
        faults += try fileFaults(in: database)
        faults += try keyFaults(in: database)
        faults += try reasonFaults(in: database)
        if var repeats {
            faults += try repeats.faults(in: database) { [self] in traffic.taken(by: users.number(of: $0)) }
            self.repeats = repeats
        }
        traffic.processBegins()
    }

    /// After the last stop.
    func checkEnd(_ database: InspectedDatabase) throws {
        try check(database)
        faults += try failureFaults(in: database)
        faults += try deliveryFaults(in: database)
        faults += try strayFaults(in: database)
        for row in try database.rows("SELECT state || coalesce(' ' || error_code, '') FROM download", columns: 1) {
            world.count("ends \(row[0] ?? "")")
        }
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
            "SELECT id || ' of ' || (SELECT id FROM event WHERE seq = event) FROM delivery WHERE finished_at IS NULL",
            columns: 1
        )
        let open = downloads.filter { row in
            users.file(of: row[0] ?? "").map { !origin.isDead($0) } ?? true
        }
        let operations = try database.rows("SELECT id FROM operation WHERE finished_at IS NULL", columns: 1)
        let moves = try database.rows("SELECT id FROM download WHERE file_moving_to IS NOT NULL", columns: 1)
        let removals = try database.rows("SELECT download FROM storage_task", columns: 1)
        return open.map { "\($0[0] ?? "") \($0[1] ?? "")" } + operations.map { "the operation \($0[0] ?? "")" }
            + moves.map { "the move of \($0[0] ?? "")" }
            + removals.map { "a removal for \($0[0] ?? "")" } + (try litter(in: database))
            + (receiver.isDead ? [] : deliveries.map { "the delivery \($0[0] ?? "")" })
    }

    /// Counts the states in which a process ends.
    func countStates() {
        guard let database else { return }
        let query = "SELECT state || coalesce(' ' || phase, '') || coalesce(' ' || waiting_for, '') FROM download"
        for row in (try? database.rows(query, columns: 1)) ?? [] { world.count("ended while \(row[0] ?? "")") }
    }

    // MARK: - Files

    /// A completed file is one version of its origin, byte for byte.
    private func fileFaults(in database: InspectedDatabase) throws -> [String] {
        let query = """
            SELECT id, file_path, file_root, file_moving_to FROM download
            WHERE state = 'completed' AND file_expired_at IS NULL
            """
        return try database.rows(query, columns: 4).compactMap { row in
            let (id, path, root) = (row[0] ?? "", row[1] ?? "", row[2] ?? "")
            // Until a move is settled, the file is in one of both places.
            let found = [path, row[3] ?? path].lazy.compactMap {
                FileManager.default.contents(atPath: "\(self.folder(of: root))/\($0)")
            }
            guard let bytes = found.first else {
                if root == SecondRoot.name.text, isSecondRootAway { return nil }
                return users.mayRemoveFile(of: id)
                    ? nil : "\(id) is completed without its file \(path) in the root \"\(root)\""
            }
            guard let file = users.file(of: id) else { return nil }
            let isOne = origin.contents(of: file).contains {
                $0.size == bytes.count && bytes == Data($0.bytes(from: 0, count: $0.size))
            }
            return isOne ? nil : "\(id) is completed with \(bytes.count) bytes that are no version of file \(file)"
        }
    }

    private func folder(of root: String) -> String {
        root == SecondRoot.name.text ? SecondRoot.path(in: disk.folder) : "\(disk.folder)/files"
    }

    private var isSecondRootAway: Bool { FileManager.default.fileExists(atPath: disk.keptAside) }

    /// A finished file belongs to a record: a move, an expiry or a new run leaves no second one.
    private func strayFaults(in database: InspectedDatabase) throws -> [String] {
        let query = """
            SELECT file_root || ' ' || file_path FROM download WHERE file_path IS NOT NULL
            UNION ALL SELECT kept_root || ' ' || kept_path FROM download WHERE kept_path IS NOT NULL
            """
        let known = Set(try database.rows(query, columns: 1).map { $0[0] ?? "" })
        return [RootName.downloads.text, SecondRoot.name.text].flatMap { root in
            let below = folder(of: root)
            let names = FileManager.default.subpaths(atPath: below) ?? []
            return names.sorted().filter { name in
                var isFolder: ObjCBool = false
                if users.mayLeave(name.split(separator: "/").last.map(String.init) ?? "") { return false }
                guard FileManager.default.fileExists(atPath: "\(below)/\(name)", isDirectory: &isFolder) else {
                    return false
                }
                return !isFolder.boolValue && !name.hasPrefix(".cormorant/") && !known.contains("\(root) \(name)")
            }.map { "the file \($0) of \(root.isEmpty ? "downloads" : root) belongs to nobody" }
        }
    }

    // MARK: - Requests and reasons

    /// A key made one download.
    private func keyFaults(in database: InspectedDatabase) throws -> [String] {
        let query = """
            SELECT description, group_concat(id) FROM download WHERE description IS NOT NULL
            GROUP BY description HAVING count(*) > 1
            """
        return try database.rows(query, columns: 2).map { "\($0[0] ?? "") made \($0[1] ?? "")" }
    }

    /// What a download waits for is something that there was in this life.
    private func reasonFaults(in database: InspectedDatabase) throws -> [String] {
        let query = "SELECT id, waiting_for, coalesce(error_code, '') FROM download WHERE state = 'waiting'"
        return try database.rows(query, columns: 3).compactMap { row in
            let isSo: Bool
            switch row[1].flatMap(WaitingFor.init) {
            case .retry?, .host?:
                isSo = origin.failureCount > 0 || !origin.isReliable || mix.failingCalls + mix.ends > 0
            case .space?, .io?: isSo = mix.failingCalls > 0 || service.hasSecondRoot
            case .resume?: isSo = mix.ends >= 3
            case .credentials?, .schedule?, nil: isSo = false
            }
            return isSo ? nil : "\(row[0] ?? "") waits for \(row[1] ?? "") by \(row[2] ?? "")"
        }
    }

    /// A part file belongs to a download that may go on with it.
    private func litter(in database: InspectedDatabase) throws -> [String] {
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
            if users.hasQuota, row[1] == "quota_exceeded" { return false }
            return users.file(of: row[0] ?? "").map { !origin.isDead($0) } ?? true
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
