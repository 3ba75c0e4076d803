public import Core

/// Removal of finished files whose time is over, in two commits (docs/decisions/0048). Both may use the reserve of a
/// full disk, because the removal makes room. The first marks the file, so that no later change keeps it; the second
/// records that it is gone. A process that ends in between finds the mark.
extension Store {
    /// Completed downloads whose files are past their time, oldest first; before them those that are marked.
    ///
    /// - Parameter period: The setting `keep_files`, for downloads without a choice of their own; nil means forever.
    public func expiredFiles(keeping period: Duration?, limit: Int, at clock: AgeClock) async throws -> [Download] {
        try await unreadable.skipping { readable in
            try await readers.readSnapshot { database in
                var found = try database.expiring(readable, limit: limit)
                if found.count < limit {
                    found += try database.expired(readable, limit: limit - found.count, at: clock)
                }
                if found.count < limit, let period {
                    found += try database.expired(readable, past: period, limit: limit - found.count, at: clock)
                }
                return found
            }
        }
    }

    /// Marks files for removal, unless a record has changed since it was read.
    ///
    /// - Returns: The marked downloads.
    public func markExpired(_ downloads: [Download], now: Timestamp) async throws -> [Download] {
        try await writer.write(isVital: true, touching: downloads.map(\.id)) { transaction in
            var marked: [Download] = []
            for download in downloads {
                guard let old = try transaction.download(download.id), old.state == .completed,
                    old.file == download.file, old.file?.movingTo == nil,
                    old.request.retention == download.request.retention
                else { continue }
                var new = old
                if var file = old.file, file.expiredAt == nil {
                    file.expiredAt = now
                    new.setFile(file, at: now)
                    try transaction.update(old, to: new)
                }
                marked.append(new)
            }
            return marked
        }
    }

    /// Records that marked files are gone, each with its event.
    public func recordExpired(_ removed: [Download], now: Timestamp) async throws {
        try await writer.write(isVital: true, touching: removed.map(\.id)) { transaction in
            for download in removed {
                guard let old = try transaction.download(download.id), old.state == .completed,
                    old.file == download.file, let file = old.file, file.isExpiring
                else { continue }
                var new = old
                new.setFile(file.missing, at: now)
                try transaction.update(old, to: new)
                _ = try transaction.record(.fileExpired, new, from: new.state, at: now)
            }
        }
    }
}

extension Database {
    fileprivate func expiring(_ readable: RowFilter, limit: Int) throws -> [Download] {
        try downloads(
            """
            SELECT \(Download.columnList) FROM download {index download_expiring}
            WHERE \(IndexCondition.isExpiring) \(readable.clause) ORDER BY file_expired_at LIMIT ?
            """,
            readable.values + [limit]
        )
    }

    /// By the choices of the downloads. An age counts from the wall clock if that was not set since the completion.
    fileprivate func expired(_ readable: RowFilter, limit: Int, at clock: AgeClock) throws -> [Download] {
        try downloads(
            """
            SELECT \(Download.columnList) FROM download {index download_expiry}
            WHERE \(IndexCondition.hasExpiry) AND \(IndexCondition.expiry) <= ?
                AND (\(IndexCondition.expiry) <= ? OR expires_at IS NULL AND finished_at >= ?) \(readable.clause)
            ORDER BY \(IndexCondition.expiry) LIMIT ?
            """,
            [clock.now, min(clock.proven, clock.now), clock.steadySince] + readable.values + [limit]
        )
    }

    /// By the setting.
    fileprivate func expired(
        _ readable: RowFilter,
        past period: Duration,
        limit: Int,
        at clock: AgeClock
    ) throws -> [Download] {
        guard let latest = AgeClock.latestEnd(of: period, at: clock.now),
            let proven = AgeClock.latestEnd(of: period, at: min(clock.proven, clock.now))
        else { return [] }
        return try downloads(
            """
            SELECT \(Download.columnList) FROM download {index download_default_expiry}
            WHERE \(IndexCondition.hasDefaultExpiry) AND finished_at <= ? AND (finished_at <= ? OR finished_at >= ?)
                \(readable.clause)
            ORDER BY finished_at LIMIT ?
            """,
            [latest, proven, clock.steadySince] + readable.values + [limit]
        )
    }
}
