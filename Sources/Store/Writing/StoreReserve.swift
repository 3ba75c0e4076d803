public import Core
import GRDB

/// Disk space that is kept for records that lead out of a full disk: ends of downloads, pauses, cancellations,
/// deletions and the records of a start. While it is released, nothing else is written.
public struct StoreReserve: Sendable {
    /// Releases the space; false if there is none.
    let release: @Sendable () -> Bool
    /// Takes the space again if possible; true if it is held.
    let restore: @Sendable () -> Bool

    public init(release: @escaping @Sendable () -> Bool, restore: @escaping @Sendable () -> Bool) {
        self.release = release
        self.restore = restore
    }

    public static let none = Self(release: { false }, restore: { true })
}

extension Store {
    /// Queues downloads that wait for space as far as the room goes: the highest priority first, then the oldest. The
    /// first is always queued, because it may have its space already. One that was tried a moment ago waits until it is
    /// due.
    ///
    /// - Parameters:
    ///   - room: What they may take together, in bytes; nil for none.
    ///   - limit: How many are looked at.
    /// - Returns: Whether any are left waiting.
    public func releaseSpace(_ room: Int64?, limit: Int = 64, now: Timestamp) async throws -> Bool {
        try await unreadable.skipping { readable in
            try await writer.write { transaction in
                if let room { try transaction.releaseSpace(room, readable, limit: limit, now: now) }
                let left = try transaction.database.cachedStatement(
                    sql: """
                        SELECT 1 FROM download INDEXED BY download_short
                        WHERE waiting_for = 'space' \(readable.clause) LIMIT 1
                        """
                )
                return try Int.fetchOne(left, arguments: readable.arguments([])) != nil
            }
        }
    }
}

extension Transaction {
    fileprivate func releaseSpace(_ room: Int64, _ readable: RowFilter, limit: Int, now: Timestamp) throws {
        let waiting = try database.downloads(
            """
            SELECT \(Download.columnList) FROM download INDEXED BY download_short
            WHERE waiting_for = 'space' AND coalesce(next_attempt_at, 0) NOT BETWEEN ? + 1 AND ? \(readable.clause)
            ORDER BY priority DESC, queued_at LIMIT ?
            """,
            [now.milliseconds, (now + WaitingFor.diskRetryInterval).milliseconds, limit],
            readable
        )
        var room = room
        for (index, download) in waiting.enumerated() {
            let need = max((download.progress.totalBytes ?? 0) - download.progress.durableBytes, 0)
            guard index == 0 || need <= room else { continue }
            room -= need
            try makeDue(download, now: now)
        }
    }
}
