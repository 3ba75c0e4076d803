import GRDB
public import Model

extension Store {
    /// The requests that are recorded of a download, the newest first, those before `number` if one is given; nil
    /// where there is no such download.
    public func requests(of id: DownloadID, before number: Int?, limit: Int) async throws -> [RequestRecord]? {
        try await readers.readSnapshot { database in
            let known = try database.cachedStatement(sql: "SELECT 1 FROM download WHERE id = ?")
            guard try Int.fetchOne(known, arguments: [id.text]) != nil else { return nil }
            let statement = try database.cachedStatement(
                sql: """
                    SELECT \(RequestRecord.columns) FROM request
                    WHERE download = ? AND number < ? ORDER BY number DESC LIMIT ?
                    """
            )
            let rows = try Row.fetchAll(statement, arguments: [id.text, number ?? .max, limit])
            return try rows.map { row in
                var reader = RowReader(row)
                return try RequestRecord(&reader)
            }
        }
    }
}
