public import Core
import GRDB

/// Room on the disk that is kept for the records of what leads out of a full one: the end of work, pauses,
/// cancellations and deletions, and what a start has to record. Nothing else is written while it is given up.
public struct StoreReserve: Sendable {
    /// Gives the room up; false where there is none to give.
    let release: @Sendable () -> Bool
    /// Takes the room again, if it is there; true where nothing is given up.
    let restore: @Sendable () -> Bool

    public init(release: @escaping @Sendable () -> Bool, restore: @escaping @Sendable () -> Bool) {
        self.release = release
        self.restore = restore
    }

    public static let none = Self(release: { false }, restore: { true })
}

extension Store {
    /// Queues downloads that wait for space: those with the highest priority first, the oldest of them first, as far as
    /// the room goes. The first always goes on, as it may have taken its room before. One that was tried a moment ago
    /// waits until its time has come too.
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
            SELECT \(DownloadColumns.list) FROM download INDEXED BY download_short
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
