import GRDB
public import Model

extension Store {
    /// Takes over what an earlier process left running, which is dead: the lock on the data folder says so.
    ///
    /// What was being transferred is queued, and goes on from its durable bytes. What was being published is
    /// claimed for `owner`, whose duty it is to finish it: no network is needed for that. Running it twice changes
    /// nothing more.
    ///
    /// - Returns: The downloads to finish publishing.
    public func recover(owner: String, now: Timestamp) async throws -> [ClaimedDownload] {
        try await unreadable.skipping { readable in
            try await writer.write(isVital: true) { try $0.recover(readable, owner: owner, now: now) }
        }
    }

    /// Whether the part file of a generation may still be needed.
    public func needsPart(_ id: DownloadID, generation: Int) async throws -> Bool {
        try await readers.read { database in
            let statement = try database.cachedStatement(
                sql: "SELECT 1 FROM download WHERE id = ? AND generation = ? AND state <> 'completed'"
            )
            return try Int.fetchOne(statement, arguments: [id.text, generation]) != nil
        }
    }
}

extension Transaction {
    fileprivate func recover(_ readable: RowFilter, owner: String, now: Timestamp) throws -> [ClaimedDownload] {
        let left = try database.downloads(
            "SELECT \(DownloadColumns.list) FROM download WHERE state = 'running' \(readable.clause) ORDER BY id",
            [],
            readable
        )
        var publishing: [ClaimedDownload] = []
        for download in left {
            if download.phase == .publishing {
                publishing.append(try takeOver(download, owner: owner, now: now))
            } else {
                try requeue(download, now: now)
            }
        }
        notices.insert(.downloads)
        return publishing
    }

    fileprivate func requeue(_ old: Download, now: Timestamp) throws {
        var machine = old.machine
        guard machine.take(.interrupted) else { return }
        var new = old
        new.adopt(machine)
        new.epoch += 1
        _ = try transition(old, to: new, event: nil, at: now)
    }

    fileprivate func takeOver(_ old: Download, owner: String, now: Timestamp) throws -> ClaimedDownload {
        var new = old
        new.epoch += 1
        new.owner = owner
        try update(old, to: new)
        return try claimed(new, by: owner, now: now)
    }
}
