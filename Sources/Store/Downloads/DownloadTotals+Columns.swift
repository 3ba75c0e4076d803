import Core

extension DownloadTotals: RowValue {
    static let blank = DownloadTotals()

    private static let countColumns = DownloadState.allCases.map { (state: $0, name: "\($0.rawValue)_count") }

    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        for (state, name) in Self.countColumns {
            var count = counts[state] ?? 0
            try row.column(name, &count)
            if row.isReading, count != 0 { counts[state] = count }
        }
        try row.column("received_bytes", &receivedBytes)
        try row.column("total_bytes", &totalBytes)
    }

    static let columnList = columnNames().columnList()

    /// Adds changes to the totals of all downloads.
    fileprivate var addition: Statement {
        var (totals, values) = (self, StoredValues())
        totals.columns(&values)
        return Statement(Self.additionText, values.list)
    }

    private static let additionText = {
        let sums = columnNames().map { "\($0) = \($0) + ?" }.joined(separator: ", ")
        return "UPDATE download_totals SET \(sums) WHERE id = 1"
    }()
}

/// The changes that the downloads of a transaction make to the totals of all downloads. They are written once, before
/// the commit, so that a commit of hundreds of downloads writes few rows.
struct TotalsChanges {
    fileprivate var pending = DownloadTotals()
    /// The totals without the pending changes; nil if they must be read.
    fileprivate var stored: DownloadTotals?
    /// The bytes that became durable. Bytes that are discarded later are not subtracted.
    private(set) var receivedBytes: Int64 = 0

    mutating func count(from old: Download?, to new: Download?) {
        receivedBytes += max((new?.progress.durableBytes ?? 0) - (old?.progress.durableBytes ?? 0), 0)
        pending.count(from: old, to: new)
    }

    /// Returns the changes of the totals and forgets them. The received bytes stay.
    fileprivate mutating func removePending() -> DownloadTotals {
        defer { (pending, stored) = (DownloadTotals(), nil) }
        return pending
    }
}

extension Transaction {
    /// Counts a change of a download for the totals of the service and of its session.
    ///
    /// - Parameters:
    ///   - old: nil if the download is new.
    ///   - new: nil if it is deleted.
    func count(from old: Download?, to new: Download?) throws {
        guard
            old?.state != new?.state || old?.progress.durableBytes != new?.progress.durableBytes
                || old?.progress.totalBytes != new?.progress.totalBytes || old?.request.session != new?.request.session
        else { return }
        totals.count(from: old, to: new)
        let (left, entered) = (old?.request.session, new?.request.session)
        guard left != entered || old == nil || new == nil else {
            if let entered { try change(entered) { $0.totals.count(from: old, to: new) } }
            return
        }
        if let left { try change(left) { $0.totals.count(from: old, to: nil) } }
        if let entered { try change(entered) { $0.totals.count(from: nil, to: new) } }
    }

    /// The number of queued downloads.
    func queuedCount() throws -> Int {
        let stored = try totals.stored ?? database.totals()
        totals.stored = stored
        return stored.count(of: [.queued]) + (totals.pending.counts[.queued] ?? 0)
    }

    /// Writes the pending changes of totals and sessions.
    func writeTotals() throws {
        let changes = totals.removePending()
        if !changes.isZero { try database.execute(changes.addition) }
        try writeAccounts()
    }
}

extension DownloadTotals {
    fileprivate var isZero: Bool { receivedBytes == 0 && totalBytes == 0 && counts.allSatisfy { $0.value == 0 } }
}

extension Database {
    /// The totals of all downloads.
    func totals() throws -> DownloadTotals {
        try values(DownloadTotals.self, "SELECT \(DownloadTotals.columnList) FROM download_totals WHERE id = 1").first
            ?? DownloadTotals()
    }
}
