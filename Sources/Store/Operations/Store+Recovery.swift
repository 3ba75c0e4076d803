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
        try await writer.write { transaction in
            let left = try transaction.database.downloads(
                "SELECT \(DownloadColumns.list) FROM download WHERE state = 'running' ORDER BY id",
                []
            )
            var publishing: [ClaimedDownload] = []
            for download in left {
                if download.phase == .publishing {
                    publishing.append(try transaction.takeOver(download, owner: owner, now: now))
                } else {
                    try transaction.requeue(download, now: now)
                }
            }
            transaction.notices.insert(.downloads)
            return publishing
        }
    }

    /// Makes due again what an earlier process was delivering, since nobody knows whether it arrived.
    ///
    /// Whoever claims deliveries calls it before the first claim: afterwards it would take back claims of this process.
    public func recoverDeliveries(now: Timestamp) async throws {
        try await writer.write { transaction in
            try transaction.execute(
                "UPDATE delivery SET state = 'pending', next_attempt_at = ? WHERE state = 'delivering'",
                [now.milliseconds]
            )
            transaction.notices.insert(.deliveries)
        }
    }

    /// Whether the part file of a generation may still be needed.
    public func needsPart(_ id: DownloadID, generation: Int) async throws -> Bool {
        try await readers.read { database in
            guard let download = try database.download(id) else { return false }
            return download.generation == generation && download.state != .completed
        }
    }
}

extension Transaction {
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
        try update(old, to: new)
        try execute("UPDATE download SET owner = ? WHERE id = ?", [owner, old.id.text])
        return try claimed(new, by: owner, now: now)
    }
}
