public import Core

extension Store {
    /// Gives up one part file below a root, if downloads of unknown length hold its space from one another: nothing
    /// runs there, none that waits for space can continue, and an older one could do so with the space of younger ones.
    /// The bytes of the youngest are discarded, and it waits on. Paused and failed downloads keep their bytes.
    ///
    /// - Parameters:
    ///   - room: The bytes above the limit at which waiting downloads continue; negative below the limit.
    ///   - needs: The bytes that downloads need to continue.
    ///   - limit: The maximum number of downloads to examine, from each end of the order.
    /// - Returns: The part file to remove; nil if none was given up.
    public func endSpaceDeadlock(
        in root: RootName,
        room: Int64,
        needs: DownloadSpaceNeeds,
        limit: Int = 256,
        now: Timestamp
    ) async throws -> DownloadID? {
        try await unreadable.skipping { readable in
            try await writer.write(isVital: true) { transaction in
                guard try !transaction.isRunning(in: root, readable) else { return nil }
                let oldest = try transaction.waitingForSpace(in: root, "priority DESC, queued_at", readable, limit)
                let youngest = try transaction.waitingForSpace(in: root, "priority, queued_at DESC", readable, limit)
                guard let old = SpaceDeadlock(oldest: oldest, youngest: youngest, room: room, needs: needs).givenUp
                else { return nil }
                _ = try transaction.write(old.givingUpSpace(), over: old, at: now)
                return old.id
            }
        }
    }
}

extension Transaction {
    /// There are no more running downloads than slots, so they need no index by root.
    fileprivate func isRunning(in root: RootName, _ readable: RowFilter) throws -> Bool {
        try database.exists(
            """
            SELECT 1 FROM download {index download_running}
            WHERE state = 'running' AND root = ? \(readable.clause) LIMIT 1
            """,
            [root] + readable.values
        )
    }

    fileprivate func waitingForSpace(
        in root: RootName,
        _ order: String,
        _ readable: RowFilter,
        _ limit: Int
    ) throws -> [Download] {
        try database.downloads(
            """
            SELECT \(Download.columnList) FROM download {index download_short}
            WHERE waiting_for = 'space' AND root = ? \(readable.clause) ORDER BY \(order) LIMIT ?
            """,
            [root] + readable.values + [limit]
        )
    }
}
