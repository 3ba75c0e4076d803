public import Core

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

    /// A download with the recorded segments of its part file; nil if it does not exist.
    public func segments(of id: DownloadID) async throws -> (download: Download, segments: [Segment])? {
        try await readers.readSnapshot { database in
            guard let download = try database.download(id) else { return nil }
            return (download, try database.segments(of: download))
        }
    }

    /// Whether another download has since published a file with the name of this completed download's file. A download
    /// that skipped its file took it from nobody.
    public func hasLostFile(_ download: Download) async throws -> Bool {
        try await readers.lookUp { try $0.hasLostFile(download, countsPublishing: false) }
    }

    /// The same, or whether a download in phase `publishing` has recorded that name. The file may be in its place, may
    /// have been replaced, and the other download may still get another name.
    public func mayHaveLostFile(_ download: Download) async throws -> Bool {
        try await readers.lookUp { try $0.hasLostFile(download, countsPublishing: true) }
    }

    /// Whether a completed download other than `id` has its file at this path, or an earlier run of it has.
    public func isFileOfAnother(
        than id: DownloadID,
        at path: String,
        below root: RootName = .downloads
    ) async throws -> Bool {
        try await readers.lookUp { database in
            try database.exists(
                """
                SELECT 1 FROM download {index download_by_file}
                WHERE file_path = ?1 AND file_root = ?2 AND id <> ?3 AND state = 'completed'
                    AND file_is_skipped = 0 AND file_is_missing = 0
                UNION ALL
                SELECT 1 FROM download {index download_by_kept_file}
                WHERE kept_path = ?1 AND kept_root = ?2 AND id <> ?3
                """,
                [path, root, id]
            )
        }
    }

    /// The last completed download whose file has this path; nil if there is none. A download that skipped its file
    /// without a response of the origin knows no validator, so it does not count.
    public func lastCompleted(at path: String, below root: RootName = .downloads) async throws -> Download? {
        try await readers.lookUp { database in
            try database.downloads(
                """
                SELECT \(Download.columnList) FROM download {index download_by_file}
                WHERE file_path = ? AND file_root = ? AND state = 'completed'
                    AND NOT (file_is_skipped = 1 AND etag IS NULL AND last_modified IS NULL)
                ORDER BY finished_at DESC, row DESC LIMIT 1
                """,
                [path, root]
            ).first
        }
    }
}

extension Database {
    /// ``Store/hasLostFile(_:)``, or ``Store/mayHaveLostFile(_:)`` if it counts downloads in phase `publishing`.
    func hasLostFile(_ download: Download, countsPublishing: Bool) throws -> Bool {
        guard let file = download.file ?? download.keptFile,
            let placedAt = file.placedAt ?? download.times.finishedAt
        else { return false }
        return try exists(
            """
            SELECT 1 FROM download {index download_by_file}
            WHERE file_path = ?1 AND file_root = ?5 AND id <> ?2 AND file_is_skipped = 0 AND (
                phase = 'publishing' AND ?4 = 1 OR state = 'completed'
                AND (coalesce(file_placed_at, finished_at), row)
                    > (?3, (SELECT row FROM download WHERE id = ?2)))
            UNION ALL
            SELECT 1 FROM download {index download_by_kept_file}
            WHERE kept_path = ?1 AND kept_root = ?5 AND id <> ?2
                AND (kept_placed_at, row) > (?3, (SELECT row FROM download WHERE id = ?2))
            """,
            [file.path, download.id, placedAt, countsPublishing, file.root]
        )
    }
}
