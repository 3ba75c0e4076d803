import GRDB

/// A queued download, as the queue's indexes know it.
struct QueueEntry {
    let priority: Int
    let session: String?
    let queuedAt: Int64
    let id: String
    let authority: String

    /// In the order of ``columns``.
    init(_ row: Row) {
        priority = row[0]
        session = row[1]
        queuedAt = row[2]
        id = row[3]
        authority = row[4]
    }

    static let columns = "priority, session, queued_at, id, authority"

    /// Its session's name; empty for the lane of what has none, which comes first as NULL does.
    var lane: String { session ?? "" }

    /// Whether it stands before another of the same priority, were their lanes one.
    func isOlder(than other: Self) -> Bool { (queuedAt, id) < (other.queuedAt, other.id) }
}
