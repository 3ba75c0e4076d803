public import Core
import GRDB

extension Store {
    /// A page of the downloads that a filter selects. It can be short without being the last (``DownloadPage/next``).
    ///
    /// - Parameter position: Where the page before ended; nil for the first page.
    public func page(
        _ filter: DownloadFilter,
        _ order: DownloadOrder = DownloadOrder(),
        after position: DownloadPosition?,
        limit: Int
    ) async throws -> DownloadPage {
        try await unreadable.skipping { readable in
            // On one snapshot, or a download that changes state in between would be shown twice or not at all.
            try await readers.readSnapshot { database in
                try DownloadList(database: database, filter: filter, order: order, readable: readable)
                    .page(after: position, limit: limit)
            }
        }
    }

    /// The number of downloads that a filter selects, as far as they are counted.
    public func count(_ filter: DownloadFilter) async throws -> DownloadCount {
        try await readers.readSnapshot { database in
            try DownloadList(
                database: database,
                filter: filter,
                order: DownloadOrder(),
                readable: RowFilter(without: [])
            ).count()
        }
    }

    /// The newest downloads first, those made before `id` if one is given. With states and a session only, a page is
    /// never short.
    public func downloads(_ filter: DownloadFilter, before id: DownloadID?, limit: Int) async throws -> [Download] {
        try await page(filter, after: id.map { DownloadPosition(id: $0) }, limit: limit).downloads
    }
}
