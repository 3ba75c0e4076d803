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

    fileprivate static let sessionUpdate = update("session", where: "name = ?")
    fileprivate static let serviceUpdate = update("download_totals", where: "id = 1")

    private static func update(_ table: String, where condition: String) -> String {
        let sums = columnNames().map { "\($0) = \($0) + ?" }.joined(separator: ", ")
        return "UPDATE \(table) SET \(sums) WHERE \(condition)"
    }
}

/// The changes that the downloads of a transaction make to the kept totals. They are written once, before the commit,
/// so that a commit of hundreds of downloads writes few rows.
struct TotalsChanges {
    fileprivate var service = DownloadTotals()
    fileprivate var sessions: [SessionName: DownloadTotals] = [:]
    /// The bytes that became durable. Bytes that are discarded later are not subtracted.
    private(set) var receivedBytes: Int64 = 0

    mutating func count(from old: Download?, to new: Download?) {
        if let old, let new, old.request.session != new.request.session {
            receivedBytes += max(new.progress.durableBytes - old.progress.durableBytes, 0)
            service.count(from: old, to: new)
            if let left = old.request.session { sessions[left, default: DownloadTotals()].count(from: old, to: nil) }
            if let entered = new.request.session {
                sessions[entered, default: DownloadTotals()].count(from: nil, to: new)
            }
            return
        }
        guard
            old?.state != new?.state || old?.progress.durableBytes != new?.progress.durableBytes
                || old?.progress.totalBytes != new?.progress.totalBytes
        else { return }
        receivedBytes += max((new?.progress.durableBytes ?? 0) - (old?.progress.durableBytes ?? 0), 0)
        service.count(from: old, to: new)
        guard let session = (new ?? old)?.request.session else { return }
        sessions[session, default: DownloadTotals()].count(from: old, to: new)
    }
}

extension TotalsChanges {
    /// Returns the changes of the totals and forgets them. The received bytes stay.
    fileprivate mutating func removeAll() -> Self {
        defer { (service, sessions) = (DownloadTotals(), [:]) }
        return self
    }
}

extension Transaction {
    /// Writes the pending changes.
    func writeTotals() throws {
        let changes = totals.removeAll()
        if !changes.service.isZero {
            try database.execute(DownloadTotals.serviceUpdate) { changes.service.write(to: &$0) }
        }
        for (name, change) in changes.sessions where !change.isZero {
            try database.execute(DownloadTotals.sessionUpdate) { writer in
                change.write(to: &writer)
                writer.add(name)
            }
        }
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

    /// The totals of a session's downloads, also of a deleted session.
    func totals(of session: SessionName) throws -> DownloadTotals {
        try values(
            DownloadTotals.self,
            "SELECT \(DownloadTotals.columnList) FROM session WHERE name = ?",
            [session]
        ).first ?? DownloadTotals()
    }
}
