public import Core
import GRDB

/// The totals of the store, as of the last commit.
public struct StoreTotals: Sendable {
    public let downloads: DownloadTotals
    /// When the oldest queued download was created; nil if none is queued.
    public let oldestQueuedAt: Timestamp?
    /// The number of pending deliveries, as far as they are counted.
    public let pendingDeliveries: DownloadCount
}

extension Store {
    /// Reads all totals from one snapshot. The time does not depend on the number of rows.
    public func totals() async throws -> StoreTotals {
        try await readers.readSnapshot { database in
            StoreTotals(
                downloads: try database.totals(),
                oldestQueuedAt: try database.oldestQueuedAt(),
                pendingDeliveries: try database.pendingDeliveries()
            )
        }
    }

    /// The bytes that were recorded as durable since the store was opened.
    public var receivedBytes: Int64 { writer.receivedBytes }
}

extension Database {
    fileprivate func oldestQueuedAt() throws -> Timestamp? {
        let statement = try cachedStatement(
            sql: """
                SELECT created_at FROM download INDEXED BY download_by_state
                WHERE state = 'queued' ORDER BY id LIMIT 1
                """
        )
        return try Int64.fetchOne(statement).map { Timestamp(milliseconds: $0) }
    }

    /// Counts each part up to the limit, which bounds the time.
    fileprivate func pendingDeliveries() throws -> DownloadCount {
        let statement = try cachedStatement(
            sql: """
                SELECT (SELECT count(*) FROM (SELECT 1 FROM delivery INDEXED BY delivery_due
                        WHERE state = 'pending' AND place IS NOT 'behind' LIMIT ?1))
                    + (SELECT count(*) FROM (SELECT 1 FROM delivery INDEXED BY delivery_behind
                        WHERE place = 'behind' LIMIT ?1))
                """
        )
        let count = try Int.fetchOne(statement, arguments: [DownloadList.mostCounted + 1]) ?? 0
        return DownloadCount(
            total: min(count, DownloadList.mostCounted),
            isLowerBound: count > DownloadList.mostCounted
        )
    }
}
