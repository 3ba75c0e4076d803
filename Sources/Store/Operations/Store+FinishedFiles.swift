import GRDB
public import Model

/// Where a walk over the records of finished files stands.
public struct FinishedPosition: Hashable, Sendable {
    fileprivate let finishedAt: Int64
    fileprivate let row: Int64
}

extension Store {
    /// The completed downloads, from the oldest on.
    ///
    /// - Parameter position: Those after it; nil for the first.
    /// - Returns: At most `limit` of them, and where the next ones begin; nil for that where none follow.
    public func finished(
        after position: FinishedPosition?,
        limit: Int
    ) async throws -> (downloads: [Download], next: FinishedPosition?) {
        try await unreadable.skipping { readable in
            try await readers.readSnapshot { database in
                // What cannot be read is passed by as a row, so that the walk goes on behind it.
                let places = try Row.fetchAll(
                    database.cachedStatement(
                        sql: """
                            SELECT finished_at, row FROM download INDEXED BY download_completed
                            WHERE state = 'completed' AND (finished_at, row) > (?1, ?2)
                            ORDER BY finished_at, row LIMIT ?3
                            """
                    ),
                    arguments: [position?.finishedAt ?? .min, position?.row ?? .min, limit]
                )
                guard let last = places.last else { return ([], nil) }
                let end = FinishedPosition(finishedAt: last[0], row: last[1])
                let rows = places.map { String($0[1] as Int64) }.joined(separator: ",")
                let downloads = try database.downloads(
                    """
                    SELECT \(DownloadColumns.list) FROM download
                    WHERE row IN (SELECT value FROM json_each(:rows)) \(readable.clause)
                    """,
                    ["rows": "[\(rows)]"],
                    readable
                )
                return (downloads, places.count == limit ? end : nil)
            }
        }
    }

    /// Deletes the records of downloads whose files are gone, where they are as they were.
    ///
    /// - Returns: How many were deleted.
    public func deleteFinished(_ gone: [Download]) async throws -> Int {
        try await writer.write { transaction in
            var count = 0
            for download in gone {
                guard let current = try transaction.download(download.id), current.state == .completed,
                    current.revision == download.revision
                else { continue }
                try transaction.delete(current)
                count += 1
            }
            return count
        }
    }
}
