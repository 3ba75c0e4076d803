public import Core
import GRDB

extension Store {
    /// A download as of the last commit; nil if it does not exist.
    ///
    /// - Throws: ``StoreError/unreadableDownloads(_:)`` if its row cannot be read.
    public func download(_ id: DownloadID) async throws -> Download? {
        let version = lookupCache.version
        if let download = lookupCache.download(id, at: version) { return download }
        do {
            let download = try await readers.lookUp { try $0.download(id) }
            if let download { lookupCache.store(download, at: version) }
            return download
        } catch StoreError.unreadableDownloads(let rows) {
            unreadable.record(rows)
            throw StoreError.unreadableDownloads(rows)
        }
    }

    /// Whether another download has since published, or is publishing, a file with the name of this completed
    /// download's file.
    ///
    /// - Parameter countsPublishing: Whether a download in phase `publishing` counts. It may still get another name.
    public func hasLostFile(_ download: Download, countsPublishing: Bool = true) async throws -> Bool {
        guard let path = download.file?.path, let finishedAt = download.times.finishedAt else { return false }
        return try await readers.lookUp { database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT 1 FROM download INDEXED BY download_by_file
                    WHERE file_path = ?1 AND id <> ?2 AND (
                        phase = 'publishing' AND ?4 OR state = 'completed'
                        AND (finished_at, row) > (?3, (SELECT row FROM download WHERE id = ?2)))
                    """
            )
            let arguments: StatementArguments = [path, download.id.text, finishedAt.milliseconds, countsPublishing]
            return try Int.fetchOne(statement, arguments: arguments) != nil
        }
    }

    /// The number of downloads in each state. States without downloads are omitted.
    public func downloadCounts() async throws -> [DownloadState: Int] {
        try await readers.read { database in
            // Reads only the index, no row.
            let statement = try database.cachedStatement(
                sql: "SELECT state, count(*) FROM download INDEXED BY download_by_state GROUP BY state"
            )
            var counts: [DownloadState: Int] = [:]
            let rows = try Row.fetchCursor(statement)
            while let row = try rows.next() {
                var reader = RowReader(row)
                counts[try reader.next()] = try reader.next()
            }
            return counts
        }
    }

    /// Downloads, newest first; only those created before `id` if it is given.
    public func downloads(
        _ filter: DownloadFilter,
        before id: DownloadID?,
        limit: Int
    ) async throws -> [Download] {
        try await unreadable.skipping { readable in
            // Several states are one indexed query each: a query over all states would read rows that it does not
            // return. All use one snapshot: otherwise a download that changes state in between could appear twice or
            // not at all.
            try await readers.readSnapshot { database in
                guard filter.states.count > 1 else {
                    return try database.page(filter.states.first, filter.session, readable, before: id, limit: limit)
                }
                let pages = try Set(filter.states).flatMap {
                    try database.page($0, filter.session, readable, before: id, limit: limit)
                }
                return Array(pages.sorted { $0.id.text > $1.id.text }.prefix(limit))
            }
        }
    }
}

extension Database {
    fileprivate func page(
        _ state: DownloadState?,
        _ session: SessionName?,
        _ readable: RowFilter,
        before id: DownloadID?,
        limit: Int
    ) throws -> [Download] {
        var conditions: [String] = []
        var values: [(any DatabaseValueConvertible)?] = []
        if let session {
            conditions.append("session = ?")
            values.append(session.text)
        }
        if let state {
            conditions.append("state = ?")
            values.append(state.rawValue)
        }
        if let id {
            conditions.append("id < ?")
            values.append(id.text)
        }
        return try downloads(
            """
            SELECT \(Download.columnList) FROM download
            WHERE \((["TRUE"] + conditions).joined(separator: " AND ")) \(readable.clause) ORDER BY id DESC LIMIT ?
            """,
            StatementArguments(values + [limit]),
            readable
        )
    }
}
