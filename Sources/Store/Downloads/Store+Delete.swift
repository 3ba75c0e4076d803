public import Core

extension Store {
    /// Deletes the record of a download. Its events and their deliveries are kept.
    ///
    /// - Parameters:
    ///   - force: Cancels a download that has not ended, with an event, before it is deleted.
    ///   - removesFiles: Whether its finished files are removed after the commit, as its part file is.
    /// - Returns: The deleted record.
    public func delete(
        _ id: DownloadID,
        force: Bool,
        removesFiles: Bool = false,
        expectedRevision: Int64?,
        now: Timestamp
    ) async throws -> Result<Download, DownloadRefusal> {
        try await writer.write(isVital: true, touching: [id]) { transaction in
            guard let old = try transaction.download(id) else { return .failure(.notFound) }
            do throws(DownloadRefusal) {
                try old.requireDeletable(force: force, expectedRevision: expectedRevision)
            } catch {
                return .failure(error)
            }
            try transaction.deleteRecord(of: old, removesFiles: removesFiles, now: now)
            return .success(old)
        }
    }
}

extension Transaction {
    /// Deletes a download that is not being published. One that has not ended is cancelled first, with its event.
    func deleteRecord(of old: Download, removesFiles: Bool, now: Timestamp) throws {
        let ended = old.state.isTerminal ? old : try cancel(old, now: now)
        try record(.downloadDeleted, ended, from: ended.state, at: now)
        try remove(ended.partTask, at: now)
        if removesFiles { for file in old.files { try remove(StorageTask(download: old.id, file), at: now) } }
        try delete(ended)
    }

    private func cancel(_ old: Download, now: Timestamp) throws -> Download {
        var machine = old.machine
        guard (try? machine.apply(.cancel)) != nil else { return old }
        // The part file is removed with the record.
        let cancelled = old.update(by: .cancel, to: machine, keepsPartial: true, timeLimit: .zero, at: now)
        return try write(cancelled, over: old, at: now)
    }
}

extension Store {
    /// Records a check of a finished file: it is missing, or exists again, perhaps with another identity. The first
    /// check that finds it missing adds an event.
    ///
    /// - Parameter seen: The file's record at the time of the check. If it has changed since, nothing is recorded.
    /// - Returns: The current download; nil if it was deleted.
    public func recordFile(
        of id: DownloadID,
        seen: PublishedFile,
        found: PublishedFile,
        now: Timestamp
    ) async throws -> Download? {
        try await writer.write(touching: [id]) { transaction in
            guard let old = try transaction.download(id) else { return nil }
            // While a move is not settled, the file may be in either place.
            guard old.state == .completed, old.file == seen, found != seen, seen.movingTo == nil else { return old }
            var new = old
            new.setFile(found, at: now)
            try transaction.update(old, to: new)
            if found.isMissing && !seen.isMissing {
                _ = try transaction.record(.downloadFileMissing, new, from: new.state, at: now)
            }
            return new
        }
    }
}

/// The position of an iteration over the records of finished files.
public struct FinishedPosition: Hashable, Sendable {
    fileprivate let finishedAt: Int64
    fileprivate let row: Int64
}

extension Store {
    /// The completed downloads, oldest first.
    ///
    /// - Parameter position: The position to continue after; nil to start.
    /// - Returns: At most `limit` downloads, and the position of the next ones; nil if there are no more.
    public func finished(
        after position: FinishedPosition?,
        limit: Int
    ) async throws -> (downloads: [Download], next: FinishedPosition?) {
        try await unreadable.skipping { readable in
            try await readers.readSnapshot { database in
                // Reads only ids and paths, so that an unreadable row does not stop the iteration.
                let places = try database.all(
                    """
                    SELECT finished_at, row FROM download {index download_completed}
                    WHERE state = 'completed' AND (finished_at, row) > (?1, ?2)
                    ORDER BY finished_at, row LIMIT ?3
                    """,
                    [position?.finishedAt ?? .min, position?.row ?? .min, limit]
                ) { row in
                    try FinishedPosition(finishedAt: row.next(), row: row.next())
                }
                guard let end = places.last else { return ([], nil) }
                let downloads = try database.downloads(
                    """
                    SELECT \(Download.columnList) FROM download
                    WHERE row {in ?} \(readable.clause)
                    """,
                    [SQLValue.integers(places.map(\.row))] + readable.values
                )
                return (downloads, places.count == limit ? end : nil)
            }
        }
    }

    /// Deletes the records of downloads whose files are gone, unless a record has changed since it was read.
    ///
    /// - Returns: The number of deleted records.
    public func deleteFinished(_ gone: [Download]) async throws -> Int {
        try await writer.write(isVital: true, touching: gone.map(\.id)) { transaction in
            var count = 0
            for download in gone {
                guard let current = try transaction.download(download.id), current.state == .completed,
                    current.revision == download.revision, current.file?.movingTo == nil
                else { continue }
                try transaction.delete(current)
                count += 1
            }
            return count
        }
    }
}
