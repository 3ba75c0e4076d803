public import Core

extension Store {
    /// A page of the downloads that a filter selects. A page that is not the last can be short (``DownloadPage/next``).
    ///
    /// - Parameter position: Where the previous page ended; nil for the first page.
    public func page(
        _ filter: DownloadFilter,
        _ order: DownloadOrder = DownloadOrder(),
        after position: DownloadPosition?,
        limit: Int
    ) async throws -> DownloadPage {
        try await unreadable.skipping { readable in
            // All queries use one snapshot: otherwise a download that changes state in between could appear twice or
            // not at all.
            try await readers.readSnapshot { database in
                try DownloadList(database: database, filter: filter, order: order, readable: readable)
                    .page(after: position, limit: limit)
            }
        }
    }

    /// A download, if a filter selects it.
    ///
    /// - Throws: ``StoreError/unreadableDownloads(_:)`` if its row cannot be read.
    public func download(_ id: DownloadID, selectedBy filter: DownloadFilter) async throws -> Download? {
        try await readers.readSnapshot { database in
            try database.selects(filter, id) ? database.download(id) : nil
        }
    }

    /// The number of downloads that a filter selects, as far as they are counted.
    public func count(_ filter: DownloadFilter) async throws -> DownloadCount {
        try await readers.readSnapshot(filter.hasKeptTotals ? .short : .long) { database in
            try DownloadList(database: database, filter: filter, readable: RowFilter()).count()
        }
    }

    /// Downloads, newest first; only those created before `id` if it is given. With states and a session only, no page
    /// is short.
    public func downloads(_ filter: DownloadFilter, before id: DownloadID?, limit: Int) async throws -> [Download] {
        try await page(filter, after: id.map { DownloadPosition(id: $0) }, limit: limit).downloads
    }
}
