import Synchronization

/// The rows that were found unreadable since the start. Operations on several downloads skip them, so that they block
/// no other download. Only a newer version or manual repair can fix them.
final class UnreadableRows: Sendable {
    private let ids = Mutex<Set<String>>([])
    private let report: @Sendable (UnreadableDownload) -> Void

    /// - Parameter report: Called once for each row.
    init(report: @escaping @Sendable (UnreadableDownload) -> Void) {
        self.report = report
    }

    var filter: RowFilter { RowFilter(without: ids.withLock { $0 }) }

    func record(_ rows: [UnreadableDownload]) {
        let new = ids.withLock { ids in rows.filter { ids.insert($0.id).inserted } }
        for row in new { report(row) }
    }

    /// Runs `call` without the unreadable rows. If it finds more of them, runs it again without these. Each call is
    /// atomic, so a call that found some has changed nothing.
    ///
    /// - Parameter isSkipped: Whether `call` can be run without a row. It must not throw for others.
    func skipping<Value>(
        where isSkipped: (String) -> Bool = { _ in true },
        _ call: (RowFilter) async throws -> Value
    ) async throws -> Value {
        while true {
            do {
                return try await call(RowFilter(without: ids.withLock { $0.filter(isSkipped) }))
            } catch StoreError.unreadableDownloads(let rows) {
                record(rows)
            }
        }
    }
}

/// A row that this version cannot read as a download: it violates a format, or contains a value of another version.
public struct UnreadableDownload: Error, Hashable, Sendable {
    /// The text of its column `id`, which may not be a valid id.
    public let id: String
    /// For the log: it may contain a value of the row.
    public let reason: String

    public init(id: String, reason: String) {
        self.id = id
        self.reason = reason
    }
}

/// An event that this version cannot read: it contains a value of another version, or is damaged.
public struct UnreadableEvent: Error, Hashable, Sendable {
    public let sequence: Int64
    /// For the log: it may contain a value of the row.
    public let reason: String

    public init(sequence: Int64, reason: String) {
        self.sequence = sequence
        self.reason = reason
    }
}

/// The events that were found unreadable since the start. Readers of the log skip them: otherwise one of them would
/// hide all later events.
final class UnreadableEvents: Sendable {
    private let sequences = Mutex<Set<Int64>>([])
    private let report: @Sendable (UnreadableEvent) -> Void

    /// - Parameter report: Called once for each event.
    init(report: @escaping @Sendable (UnreadableEvent) -> Void) {
        self.report = report
    }

    func record(_ events: [UnreadableEvent]) {
        guard !events.isEmpty else { return }
        let new = sequences.withLock { sequences in events.filter { sequences.insert($0.sequence).inserted } }
        for event in new { report(event) }
    }
}

/// An SQL condition that excludes unreadable rows of `download`. If there are none, it is empty, so that it costs
/// nothing and changes no query plan.
struct RowFilter: Sendable {
    /// Follows another condition of `WHERE`.
    let clause: String
    private let ids: [String]

    init(without ids: Set<String> = []) {
        self.ids = Array(ids)
        clause = ids.isEmpty ? "" : "AND id {not in ?}"
    }

    /// The value of the parameter of ``clause``, among the others in the order of the text; empty if there is none.
    var values: [any ParameterValue] { ids.isEmpty ? [] : [SQLValue.texts(ids)] }
}
