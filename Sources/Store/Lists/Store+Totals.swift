public import Core

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
        try first(
            Timestamp.self,
            """
            SELECT created_at FROM download {index download_by_state}
            WHERE state = 'queued' ORDER BY id LIMIT 1
            """
        )
    }

    /// Counts each part up to the limit, which bounds the time.
    fileprivate func pendingDeliveries() throws -> DownloadCount {
        let sql = """
            SELECT (SELECT count(*) FROM (SELECT 1 FROM delivery {index delivery_due}
                    WHERE state = 'pending' AND place {is not} 'behind' LIMIT ?1) AS s)
                + (SELECT count(*) FROM (SELECT 1 FROM delivery {index delivery_behind}
                    WHERE place = 'behind' LIMIT ?1) AS s)
            """
        let count = try first(Int.self, sql, [DownloadList.mostCounted + 1]) ?? 0
        return DownloadCount(
            total: min(count, DownloadList.mostCounted),
            isLowerBound: count > DownloadList.mostCounted
        )
    }
}
