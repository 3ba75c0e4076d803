import GRDB
public import Model

extension Store {
    /// Notes what a look at the finished file of a download found: it is missing, or there again, perhaps with another
    /// identity. The first look that misses it adds an event.
    ///
    /// - Parameter seen: The file as it was recorded when it was looked for. Where the record is another by now nothing
    ///   is noted.
    /// - Returns: The download as it is now; nil where it is gone.
    public func noteFile(
        of id: DownloadID,
        seen: PublishedFile,
        found: PublishedFile,
        now: Timestamp
    ) async throws -> Download? {
        try await writer.write { transaction in
            guard let old = try transaction.download(id) else { return nil }
            guard old.state == .completed, old.file == seen, found != seen else { return old }
            var new = old
            new.file = found
            new.revision += 1
            new.times.updatedAt = now
            try transaction.update(old, to: new)
            if found.isMissing && !seen.isMissing {
                _ = try transaction.record(.downloadFileMissing, new, from: new.state, at: now)
            }
            return new
        }
    }

    /// Completed downloads whose files were not missed yet, after `id` in the order of their ids.
    public func finishedFiles(after id: DownloadID?, limit: Int) async throws -> [Download] {
        try await unreadable.skipping { readable in
            try await readers.read { database in
                try database.downloads(
                    """
                    SELECT \(DownloadColumns.list) FROM download INDEXED BY download_by_state
                    WHERE state = 'completed' AND id > ? \(readable.clause) ORDER BY id LIMIT ?
                    """,
                    [id?.text ?? "", limit],
                    readable
                )
            }
        }
    }
}
