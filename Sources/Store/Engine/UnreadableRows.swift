import Synchronization

/// The rows that were found unreadable since the start. Whatever concerns several downloads passes them by, so that
/// none of them keeps the others back; nobody but a newer version, or a hand, can mend them.
final class UnreadableRows: Sendable {
    private let ids = Mutex<Set<String>>([])
    private let report: @Sendable (UnreadableDownload) -> Void

    /// - Parameter report: Called once for each row.
    init(report: @escaping @Sendable (UnreadableDownload) -> Void) {
        self.report = report
    }

    var filter: RowFilter { RowFilter(without: ids.withLock { $0 }) }

    func note(_ rows: [UnreadableDownload]) {
        let new = ids.withLock { ids in rows.filter { ids.insert($0.id).inserted } }
        for row in new { report(row) }
    }

    /// Runs `call`, which leaves out the rows that `filter` names, and again without those that it finds unreadable.
    /// Each call is atomic, so one that found some did nothing.
    func skipping<Value>(_ call: (RowFilter) async throws -> Value) async throws -> Value {
        while true {
            do {
                return try await call(filter)
            } catch StoreError.unreadableDownloads(let rows) {
                note(rows)
            }
        }
    }
}
