public import Model

extension Store {
    /// Whether a download may come to hold `total` bytes, as far as the limit of its session goes. Nothing is promised:
    /// others may take the room before the first of its bytes is recorded.
    public func mayHold(_ id: DownloadID, total: Int64) async throws -> Bool {
        // What the download holds is part of what its session does: both are of one commit.
        try await readers.readSnapshot { database in
            guard let download = try database.download(id) else { return true }
            return try database.hasRoom(for: download, toHold: total)
        }
    }
}
