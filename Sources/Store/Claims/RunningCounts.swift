import Core

/// The number of running downloads by host and by session. A claim updates it while it selects.
struct RunningCounts {
    private let slots: Slots
    /// Hosts from which nothing is claimed for a time.
    private let deferredHosts: Set<String>
    private var ofHost: [String: Int] = [:]
    private var ofLane: [String: Int] = [:]
    private let database: any Database
    /// The concurrency limits of sessions that were read so far.
    private var limitsOfLanes: [String: Int] = [:]
    /// The number of selected downloads by host.
    private var chosen: [String: Int] = [:]
    /// The remaining free slots.
    private var free: Int
    /// The hosts whose downloads were skipped because no connection is free.
    private(set) var left: Set<String> = []

    /// - Parameter readable: Excludes unreadable rows, because no worker would ever free their slots.
    init(_ slots: Slots, in database: any Database, _ readable: RowFilter, now: Timestamp) throws {
        self.slots = slots
        free = slots.free
        self.database = database
        let deferred = try database.all(
            String.self,
            "SELECT authority FROM host WHERE held_until_at > ? AND held_until_at <= ?",
            [now, now + HostWaitReason.longest]
        )
        deferredHosts = Set(deferred)
        let running = Statement(
            """
            SELECT authority, session, count(*) FROM download {index download_running}
            WHERE state = 'running' \(readable.clause) GROUP BY authority, session
            """,
            readable.values
        )
        try database.rows(running) { row in
            let authority = try row.next(String.self)
            let lane = try row.next(String?.self) ?? ""
            add(try row.next(), authority: authority, lane: lane)
            return true
        }
    }

    /// How many more downloads of a host may run.
    func room(of authority: String) -> Int {
        if deferredHosts.contains(authority) { return 0 }
        return min(slotRoom(of: authority), connections(of: authority))
    }

    /// Whether a host has connections but no free slot.
    func lacksSlots(for authority: String) -> Bool { slotRoom(of: authority) <= 0 && connections(of: authority) > 0 }

    /// How many more slots a host may use.
    private func slotRoom(of authority: String) -> Int {
        let running = ofHost[authority] ?? 0
        let below = slots.perHost - running
        // The host may use seven times the slots that stay free, plus one: running + n <= 7 * (free - n) + 1, solved
        // for n.
        return slots.isSharedByFree ? min(below, max(7 * free + 1 - running, 0) / 8) : below
    }

    /// How many more downloads of a host can get a connection.
    private func connections(of authority: String) -> Int {
        guard !slots.hostRooms.isEmpty, let room = slots.hostRooms[authority] else { return .max }
        return room - (chosen[authority] ?? 0)
    }

    /// Records that a download of a host was skipped.
    mutating func recordPassed(_ authority: String) {
        guard !deferredHosts.contains(authority), connections(of: authority) <= 0 else { return }
        if slotRoom(of: authority) > 0 { left.insert(authority) }
    }

    /// Records a selected download.
    mutating func choose(authority: String, lane: String) {
        add(1, authority: authority, lane: lane)
        free -= 1
        if !slots.hostRooms.isEmpty { chosen[authority, default: 0] += 1 }
    }

    func running(of lane: String) -> Int { ofLane[lane] ?? 0 }

    /// Whether the lane's session is below its limit.
    mutating func hasRoom(in lane: String) throws -> Bool {
        let running = running(of: lane)
        // A session's limit is at least 1, so it matters only if a download of the session runs.
        guard running > 0, !lane.isEmpty else { return true }
        return try running < limit(of: lane)
    }

    private mutating func limit(of lane: String) throws -> Int {
        if let limit = limitsOfLanes[lane] { return limit }
        let sql = "SELECT max_concurrent FROM session WHERE name = ?"
        let limit = try database.first(Int.self, sql, [lane]) ?? .max
        limitsOfLanes[lane] = limit
        return limit
    }

    private mutating func add(_ count: Int, authority: String, lane: String) {
        ofHost[authority, default: 0] += count
        ofLane[lane, default: 0] += count
    }
}
