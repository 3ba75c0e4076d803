public import Core

extension Store {
    /// The roots with downloads that wait for space.
    public func rootsShortOfSpace() async throws -> [RootName] {
        try await readers.read { database in
            let sql = """
                SELECT root FROM download {index download_short}
                WHERE waiting_for = 'space' AND root >= ? ORDER BY root LIMIT 1
                """
            var roots: [RootName] = []
            // A seek for each root, because many downloads may wait. A space sorts before all that a name may have.
            while let text = try database.first(String.self, sql, [roots.last.map { $0.text + " " } ?? ""]) {
                guard let root = RootName(stored: text) else { break }
                roots.append(root)
            }
            return roots
        }
    }

    /// Queues downloads that wait for space below a root, as many as fit: the highest priority first, then the oldest.
    /// The first is always queued, because its space may already be allocated. A recently tried download waits until it
    /// is due.
    ///
    /// - Parameters:
    ///   - room: The bytes that they may use together; nil for none.
    ///   - needs: The bytes that downloads need to continue.
    ///   - limit: The maximum number of downloads to examine.
    /// - Returns: Whether any are left waiting.
    public func releaseSpace(
        _ room: Int64?,
        of root: RootName = .downloads,
        needs: DownloadSpaceNeeds = DownloadSpaceNeeds(),
        limit: Int = 64,
        now: Timestamp
    ) async throws -> Bool {
        try await unreadable.skipping { readable in
            try await writer.write { transaction in
                if let room { try transaction.releaseSpace(room, of: root, needs, readable, limit, now: now) }
                return try transaction.database.exists(
                    """
                    SELECT 1 FROM download {index download_short}
                    WHERE waiting_for = 'space' AND root = ? \(readable.clause) LIMIT 1
                    """,
                    [root] + readable.values
                )
            }
        }
    }
}

extension Transaction {
    fileprivate func releaseSpace(
        _ room: Int64,
        of root: RootName,
        _ needs: DownloadSpaceNeeds,
        _ readable: RowFilter,
        _ limit: Int,
        now: Timestamp
    ) throws {
        let waiting = try database.downloads(
            """
            SELECT \(Download.columnList) FROM download {index download_short}
            WHERE waiting_for = 'space' AND root = ?
                AND coalesce(next_attempt_at, 0) NOT BETWEEN ? + 1 AND ? \(readable.clause)
            ORDER BY priority DESC, queued_at LIMIT ?
            """,
            [root, now, now + WaitingFor.diskRetryInterval] + readable.values + [limit]
        )
        var room = room
        for (index, download) in waiting.enumerated() {
            let need = needs.bytes(of: download)
            guard index == 0 || need <= room else { continue }
            room -= need
            try makeDue(download, now: now)
        }
    }
}
