import StoreSupport

/// An end of the process loses no more of a download than may be unrecorded: only that is sent again.
///
/// It is asked where nothing else has bytes sent again: the origins answer every request, and no file call fails.
struct RepeatWatch {
    /// In bytes.
    private let bound: Int64
    private var last: [String: Row] = [:]

    private struct Row {
        /// What must be the same for the bytes to be the same.
        let kind: String
        let durable: Int64
    }

    /// - Parameters:
    ///   - window: The window of the flush, in bytes.
    ///   - rate: The most bytes a second.
    ///   - connections: The most of a download. Each has a buffer that fills, and one that is written.
    init(window: Int64, rate: Int64, connections: Int64) {
        bound = max(2 * window, rate) + connections * 2 * (16 << 10)
    }

    /// - Parameter taken: The bytes of each download that the process has taken that ended.
    mutating func faults(in database: some QuerySource, taken: (String) -> Int64) throws -> [String] {
        let query = "SELECT id, run || ' ' || generation, durable_bytes FROM download WHERE state <> 'cancelled'"
        let rows = try Dictionary(
            uniqueKeysWithValues: database.rows(query, columns: 3).map { row in
                (row[0] ?? "", Row(kind: row[1] ?? "", durable: row[2].flatMap(Int64.init) ?? 0))
            }
        )
        defer { last = rows }
        return rows.compactMap { id, row in
            guard let old = last[id], old.kind == row.kind else { return nil }
            let lost = taken(id) - (row.durable - old.durable)
            if lost > bound / 2 { World.current.count("lost more than half of the bound") }
            return lost > bound ? "\(id) has lost \(lost) bytes of \(bound)" : nil
        }
    }
}
