import GRDB
import Model

extension Transaction {
    func download(_ id: DownloadID) throws -> Download? {
        if let written = rows.download(id) { return written }
        return try database.download(id)
    }

    func insert(_ download: Download, sessionEpoch: Int64?) throws {
        try execute(Self.insertStatement) { writer in
            download.writeFixed(to: &writer)
            writer.add(sessionEpoch)
            for group in ColumnGroup.all { group.write(download, &writer) }
        }
        rows.note(download)
    }

    /// Writes what of the row of `download` is other than `old` says; the one writer read or wrote it last.
    func update(_ old: Download, to download: Download) throws {
        let changed = ColumnGroup.all.indices.filter { ColumnGroup.all[$0].isChanged(old, download) }
        guard !changed.isEmpty else { return }
        try execute(Self.updateStatements[changed.reduce(0) { $0 | 1 << $1 }]) { writer in
            for index in changed { ColumnGroup.all[index].write(download, &writer) }
            writer.add(download.id.text)
            writer.add(old.state.rawValue)
            writer.add(old.epoch)
        }
        guard database.changesCount == 1 else { throw StoreError.refused("the row of \(download.id) moved") }
        try accountBytes(of: download.request.session, by: download.heldBytes - old.heldBytes)
        rows.note(download)
        if download.revision != old.revision { changedDownloads.insert(download.id) }
    }

    /// - Parameter download: As it was written last.
    func delete(_ download: Download) throws {
        changedDownloads.insert(download.id)
        rows.forget(download.id)
        try countGone(download)
        try execute("DELETE FROM download WHERE id = ?", [download.id.text])
        try accountBytes(of: download.request.session, by: -download.heldBytes)
    }

    private static let insertStatement = """
        INSERT INTO download (\(insertedColumns.joined(separator: ", ")))
        VALUES (\(Array(repeating: "?", count: insertedColumns.count).joined(separator: ", ")))
        """

    private static let insertedColumns =
        DownloadColumns.fixed + ["session_epoch"] + ColumnGroup.all.flatMap(\.columns)

    /// By the groups that they set, as bits in the order of ``ColumnGroup/all``; the first sets nothing.
    private static let updateStatements = (0..<1 << ColumnGroup.all.count).map { bits in
        let columns = ColumnGroup.all.indices.filter { bits & 1 << $0 != 0 }.flatMap { ColumnGroup.all[$0].columns }
        return """
            UPDATE download SET \(columns.map { "\($0) = ?" }.joined(separator: ", "))
            WHERE id = ? AND state = ? AND epoch = ?
            """
    }
}

extension Database {
    func download(_ id: DownloadID) throws -> Download? {
        let statement = try cachedStatement(sql: "SELECT \(DownloadColumns.list) FROM download WHERE id = ?")
        return try StoredDownload.fetchOne(statement, arguments: [id.text]).map { try Self.readable([$0])[0] }
    }

    /// Reads each row of a SELECT of ``DownloadColumns/list``.
    ///
    /// - Parameter filter: Its clause is part of `sql`.
    func downloads(
        _ sql: String,
        _ arguments: StatementArguments,
        _ filter: RowFilter = RowFilter(without: [])
    ) throws -> [Download] {
        try Self.readable(StoredDownload.fetchAll(cachedStatement(sql: sql), arguments: filter.arguments(arguments)))
    }

    /// - Throws: ``StoreError/unreadableDownloads(_:)`` with all that cannot be read.
    private static func readable(_ rows: [StoredDownload]) throws -> [Download] {
        var downloads: [Download] = []
        var unreadable: [UnreadableDownload] = []
        downloads.reserveCapacity(rows.count)
        for row in rows {
            switch row.download {
            case .success(let download): downloads.append(download)
            case .failure(let fault): unreadable.append(fault)
            }
        }
        guard unreadable.isEmpty else { throw StoreError.unreadableDownloads(unreadable) }
        return downloads
    }
}
