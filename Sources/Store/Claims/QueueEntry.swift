import GRDB

/// A queued download, as the queue's indexes know it.
struct QueueEntry {
    let row: Int64
    let priority: Int
    let session: String?
    let queuedAt: Int64
    let id: String
    let authority: String

    /// In the order of ``columns``.
    init(_ row: Row) {
        self.row = row[0]
        priority = row[1]
        session = row[2]
        queuedAt = row[3]
        id = row[4]
        authority = row[5]
    }

    static let columns = "row, priority, session, queued_at, id, authority"

    /// Its session's name; empty for the lane of what has none, which comes first as NULL does.
    var lane: String { session ?? "" }

    /// Whether it stands before another of the same priority, were their lanes one.
    func isOlder(than other: Self) -> Bool { (queuedAt, id) < (other.queuedAt, other.id) }
}
