public import Core
import GRDB

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

    /// Whether another download has since published, or is publishing, a file with the name of this completed
    /// download's file.
    ///
    /// - Parameter countsPublishing: Whether a download in phase `publishing` counts. It may still get another name.
    public func hasLostFile(_ download: Download, countsPublishing: Bool = true) async throws -> Bool {
        guard let path = download.file?.path, let finishedAt = download.times.finishedAt else { return false }
        return try await readers.lookUp { database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT 1 FROM download INDEXED BY download_by_file
                    WHERE file_path = ?1 AND id <> ?2 AND (
                        phase = 'publishing' AND ?4 OR state = 'completed'
                        AND (finished_at, row) > (?3, (SELECT row FROM download WHERE id = ?2)))
                    """
            )
            let arguments: StatementArguments = [path, download.id.text, finishedAt.milliseconds, countsPublishing]
            return try Int.fetchOne(statement, arguments: arguments) != nil
        }
    }
}
