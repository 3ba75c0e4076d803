import GRDB
import Model

/// How many downloads run of each host and of each lane, while a claim adds to them.
struct ClaimTally {
    private let slots: Slots
    /// Hosts that are left alone for a time.
    private let held: Set<String>
    private var ofHost: [String: Int] = [:]
    private var ofLane: [String: Int] = [:]

    /// - Parameter readable: Leaves rows out of what runs too: a slot that nobody gives back would stay taken.
    init(_ slots: Slots, in database: Database, _ readable: RowFilter, now: Timestamp) throws {
        self.slots = slots
        let holding = try database.cachedStatement(sql: "SELECT authority FROM host WHERE held_until > ?")
        held = try String.fetchSet(holding, arguments: [now.milliseconds])
        let running = try database.cachedStatement(
            sql: """
                SELECT authority, session, count(*) FROM download INDEXED BY download_running
                WHERE state = 'running' \(readable.clause) GROUP BY authority, session
                """
        )
        let rows = try Row.fetchCursor(running, arguments: readable.arguments([]))
        while let row = try rows.next() { add(row[2], authority: row[0], lane: row[1] ?? "") }
    }

    /// How many more of a host may run.
    func room(of authority: String) -> Int {
        if held.contains(authority) { return 0 }
        return slots.limit(of: authority) - (ofHost[authority] ?? 0)
    }

    func running(of lane: String) -> Int { ofLane[lane] ?? 0 }

    mutating func add(_ count: Int, authority: String, lane: String) {
        ofHost[authority, default: 0] += count
        ofLane[lane, default: 0] += count
    }
}
