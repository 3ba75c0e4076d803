import GRDB
import Model

extension Transaction {
    func download(_ id: DownloadID) throws -> Download? {
        try database.download(id)
    }

    func insert(_ download: Download, sessionEpoch: Int64?) throws {
        try execute(
            Self.insertStatement,
            download.fixedValues + [sessionEpoch] + download.mutableValues
        )
    }

    /// Writes the whole row of `download`, whose row is still as `old` says: the one writer read it in this transaction.
    func update(_ old: Download, to download: Download) throws {
        try execute(
            Self.updateStatement,
            download.mutableValues + [download.id.text, old.state.rawValue, old.epoch]
        )
        guard database.changesCount == 1 else { throw StoreError.refused("the row of \(download.id) moved") }
    }

    private static let insertStatement = """
        INSERT INTO download (\((DownloadColumns.fixed + ["session_epoch"] + DownloadColumns.mutable).joined(separator: ", ")))
        VALUES (\(Array(repeating: "?", count: DownloadColumns.all.count + 1).joined(separator: ", ")))
        """

    private static let updateStatement = """
        UPDATE download SET \(DownloadColumns.mutable.map { "\($0) = ?" }.joined(separator: ", "))
        WHERE id = ? AND state = ? AND epoch = ?
        """
}

extension Database {
    func download(_ id: DownloadID) throws -> Download? {
        let statement = try cachedStatement(sql: "SELECT \(DownloadColumns.list) FROM download WHERE id = ?")
        return try StoredDownload.fetchOne(statement, arguments: [id.text])?.download.get()
    }

    /// Reads each row of a SELECT of ``DownloadColumns/list``.
    func downloads(_ sql: String, _ values: [(any DatabaseValueConvertible)?]) throws -> [Download] {
        try StoredDownload.fetchAll(cachedStatement(sql: sql), arguments: StatementArguments(values))
            .map { try $0.download.get() }
    }
}
