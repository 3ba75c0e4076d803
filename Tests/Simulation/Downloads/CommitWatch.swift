import StoreSupport

/// Checks the rules of the store after each commit, while a process runs.
final class CommitWatch {
    private let database: InspectedDatabase
    private var version = ""

    init(path: String) throws { database = try InspectedDatabase(path: path) }

    /// What does not hold since the last call; empty if nothing was committed.
    func faults(of invariants: inout StoreInvariants) -> [String] {
        do {
            // It changes with each commit of another connection (https://www.sqlite.org/pragma.html).
            let now = try database.rows("PRAGMA data_version", columns: 1).first?[0] ?? ""
            guard now != version else { return [] }
            version = now
            return try invariants.faults(in: database)
        } catch {
            return ["\(error)"]
        }
    }
}
