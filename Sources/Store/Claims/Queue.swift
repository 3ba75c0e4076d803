/// The queued downloads in the orders that a claim needs. Each lookup is a seek in a covering index, so its cost does
/// not depend on the length of the queue.
///
/// A lane is the queue of one session within one priority.
struct Queue {
    let database: any Database
    let readable: RowFilter

    /// The head of the first lane of the highest priority below `priority`; nil means the highest priority.
    func first(below priority: Int?) throws -> QueueEntry? {
        try entry(
            "download_queue",
            "AND priority < ? \(readable.clause) ORDER BY priority DESC, lane, queued_at, id",
            [priority ?? .max] + readable.values
        )
    }

    /// The head of the lane that follows a lane.
    func head(after lane: String, priority: Int) throws -> QueueEntry? {
        try entry(
            "download_queue",
            "AND priority = ? AND lane > ? \(readable.clause) ORDER BY lane, queued_at, id",
            [priority, lane] + readable.values
        )
    }

    /// The entries of the lane after `entry`, oldest first.
    func entries(after entry: QueueEntry, limit: Int) throws -> [QueueEntry] {
        try entries(
            "download_queue",
            """
            AND priority = ? AND lane = ? AND (queued_at, id) > (?, ?) \(readable.clause)
            ORDER BY queued_at, id
            """,
            [entry.priority, entry.lane, entry.queuedAt, entry.id] + readable.values,
            limit: limit
        )
    }

    /// The oldest download of the next host after `authority` in the lane of `entry`.
    func host(after authority: String, in entry: QueueEntry) throws -> QueueEntry? {
        try self.entry(
            "download_queue_by_host",
            """
            AND priority = ? AND lane = ? AND authority > ? \(readable.clause)
            ORDER BY authority, queued_at, id
            """,
            [entry.priority, entry.lane, authority] + readable.values
        )
    }

    /// The entries of a host after `entry` in its lane, oldest first.
    func entries(of authority: String, after entry: QueueEntry, limit: Int) throws -> [QueueEntry] {
        try entries(
            "download_queue_by_host",
            """
            AND priority = ? AND lane = ? AND authority = ?
            AND (queued_at, id) > (?, ?) \(readable.clause)
            ORDER BY queued_at, id
            """,
            [entry.priority, entry.lane, authority, entry.queuedAt, entry.id] + readable.values,
            limit: limit
        )
    }

    /// Whether all downloads in the entry's lane have the same host.
    func isOfOneHost(laneOf entry: QueueEntry) throws -> Bool {
        let other = """
            EXISTS (
                SELECT 1 FROM download {index download_queue_by_host}
                WHERE state = 'queued' AND priority = ? AND lane = ? \(readable.clause) AND authority
            """
        let values: [any ParameterValue] = [entry.priority, entry.lane] + readable.values + [entry.authority]
        return try database.first(Bool.self, "SELECT \(other) < ?) OR \(other) > ?)", values + values) == false
    }

    private func entry(_ index: String, _ clause: String, _ values: [any ParameterValue]) throws -> QueueEntry? {
        try entries(index, clause, values, limit: 1).first
    }

    /// Names the index: without statistics SQLite would sort the whole queue for each claim.
    private func entries(
        _ index: String,
        _ clause: String,
        _ values: [any ParameterValue],
        limit: Int
    ) throws -> [QueueEntry] {
        let sql = """
            SELECT \(QueueEntry.columns) FROM download {index \(index)}
            WHERE state = 'queued' \(clause) LIMIT ?
            """
        return try database.all(sql, values + [limit]) { try QueueEntry(&$0) }
    }
}

/// The columns of a queued download that the indexes of the queue contain.
struct QueueEntry {
    let priority: Int
    /// The session's name; empty for downloads without a session.
    let lane: String
    let queuedAt: Int64
    let id: String
    let authority: String

    /// Reads a row with the columns ``columns``.
    init(_ row: inout RowReader) throws(StoreError) {
        priority = try row.next()
        lane = try row.next()
        queuedAt = try row.next()
        id = try row.next()
        authority = try row.next()
    }

    static let columns = "priority, lane, queued_at, id, authority"

    /// Whether it is older than an entry of the same priority in another lane.
    func isOlder(than other: Self) -> Bool { (queuedAt, id) < (other.queuedAt, other.id) }
}

/// The part of a lane that a claim has read.
struct QueueLane {
    let name: String
    /// The entries to examine next, oldest first.
    var entries: ArraySlice<QueueEntry>
    /// The last entry that was examined.
    var position: QueueEntry
    /// The number of entries skipped because their hosts have no free slot.
    var passed = 0
    /// Whether this claim reads no more entries of the lane.
    var isWhole = false

    /// Leaves the rest of the lane to a later claim.
    mutating func close() {
        entries = []
        isWhole = true
    }

    init(head: QueueEntry) {
        name = head.lane
        entries = [head]
        position = head
    }
}
