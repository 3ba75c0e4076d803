import GRDB
import Model

extension Transaction {
    /// Adds to the account of a download's requests, or changes what it says of them; the oldest go.
    func save(_ requests: [RequestRecord], of id: DownloadID) throws {
        for request in requests {
            try execute(Self.saveStatement) { writer in
                writer.add(id.text)
                request.write(to: &writer)
            }
        }
        guard let last = requests.last?.number, last > RequestRecord.kept else { return }
        try execute("DELETE FROM request WHERE download = ? AND number <= ?", [id.text, last - RequestRecord.kept])
    }

    /// The number of the last request that is recorded; 0 where none is.
    func lastRequest(of download: Download) throws -> Int {
        // Nobody was asked before the first claim.
        guard download.epoch > 1 else { return 0 }
        let statement = try database.cachedStatement(sql: "SELECT max(number) FROM request WHERE download = ?")
        return try Int.fetchOne(statement, arguments: [download.id.text]) ?? 0
    }

    private static let saveStatement = """
        INSERT OR REPLACE INTO request (download, \(RequestRecord.columns))
        VALUES (?\(String(repeating: ", ?", count: RequestRecord.columnCount)))
        """
}
