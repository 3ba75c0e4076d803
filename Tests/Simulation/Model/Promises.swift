import Core

/// What answers have promised of downloads, whatever happens to the process that gave them.
struct Promises {
    private var revisions: [DownloadID: Int64] = [:]
    /// Those that a call may have deleted whose answer nobody has seen.
    private var doubtful: Set<DownloadID> = []
    private var gone: Set<DownloadID> = []

    /// The downloads that were answered, in the order of their ids.
    var ids: [DownloadID] { revisions.keys.sorted { $0.text < $1.text } }

    /// The download is there, in this revision or a later one, until something deletes it.
    mutating func recordPresent(_ id: DownloadID, revision: Int64) {
        revisions[id] = max(revisions[id] ?? 0, revision)
    }

    mutating func recordGone(_ id: DownloadID) { gone.insert(id) }

    /// A call that may delete the download has begun.
    mutating func doubt(_ id: DownloadID) { doubtful.insert(id) }

    /// A call that may delete any of them has begun.
    mutating func doubtAll() { doubtful.formUnion(revisions.keys) }

    /// Which of them are broken.
    func faults(in database: InspectedDatabase) throws -> [String] {
        var rows: [String: Int64] = [:]
        for row in try database.rows("SELECT id, revision FROM download", columns: 2) {
            rows[row[0] ?? ""] = row[1].flatMap(Int64.init) ?? 0
        }
        let lost = revisions.compactMap { id, revision -> String? in
            guard let found = rows[id.text] else {
                return doubtful.contains(id) || gone.contains(id) ? nil : "\(id) was answered and is not there"
            }
            return found < revision ? "\(id) was answered in revision \(revision) and is in \(found)" : nil
        }
        return lost.sorted() + gone.filter { rows[$0.text] != nil }.map { "\($0) was deleted and is there" }.sorted()
    }
}
