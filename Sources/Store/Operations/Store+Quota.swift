import GRDB
public import Model

extension Store {
    /// Whether a download may come to hold `total` bytes, as far as the limit of its session goes. Nothing is promised:
    /// others may take the room before the first of its bytes is recorded.
    public func mayHold(_ id: DownloadID, total: Int64) async throws -> Bool {
        try await readers.read { database in
            guard let download = try database.download(id), let name = download.request.session else { return true }
            let missing = max(total, download.progress.durableBytes) - download.heldBytes
            guard total > download.progress.durableBytes else { return true }
            let statement = try database.cachedStatement(
                sql: "SELECT 1 FROM session WHERE name = ? AND used_bytes > max_bytes - ?"
            )
            return try Int.fetchOne(statement, arguments: [name.text, missing]) == nil
        }
    }
}
