import CWorld
import StoreSupport

/// Checks what must hold after each commit, while a process runs.
final class CommitWatch {
    private let database: InspectedDatabase
    private var limits: LimitWatch
    private let asksRules: Bool
    private var version = ""
    private var calls: UInt64 = 0

    /// - Parameter asksRules: Whether the rules of the store are asked too, which takes time.
    init(_ database: InspectedDatabase, _ limits: LimitWatch, asksRules: Bool) {
        (self.database, self.limits, self.asksRules) = (database, limits, asksRules)
    }

    /// What does not hold since the last call; empty if nothing was committed.
    func faults(of invariants: inout StoreInvariants) -> [String] {
        // Without a call on a file there is no commit.
        guard world_disk_calls() != calls else { return [] }
        calls = world_disk_calls()
        do {
            // It changes with each commit of another connection (https://www.sqlite.org/pragma.html).
            let now = try database.rows("PRAGMA data_version", columns: 1).first?[0] ?? ""
            guard now != version else { return [] }
            version = now
            return try limits.faults(in: database) + (asksRules ? invariants.faults(in: database) : [])
        } catch {
            return ["\(error)"]
        }
    }
}
