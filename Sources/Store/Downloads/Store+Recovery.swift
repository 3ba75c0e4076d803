public import Core

extension Store {
    /// Takes over the running downloads of lost nodes.
    ///
    /// Downloads in transfer are queued, and resume after their durable bytes. Downloads in phase `publishing` are
    /// claimed for `node`, which must finish them. Downloads that were running at several crashes wait for `resume`
    /// (docs/decisions/0027).
    public func recover(after lost: LostNodes, node: String, now: Timestamp) async throws -> RecoveryResult {
        try await unreadable.skipping { readable in
            try await writer.write(isVital: true) { try $0.recover(readable, after: lost, node: node, now: now) }
        }
    }

    /// Whether the part file of a generation may still be needed.
    public func needsPart(_ id: DownloadID, generation: Int) async throws -> Bool {
        try await readers.read { database in
            try database.exists(
                "SELECT 1 FROM download WHERE id = ? AND generation = ? AND state <> 'completed'",
                [id, generation]
            )
        }
    }
}

/// The result of a recovery.
public struct RecoveryResult: Sendable {
    /// The downloads whose publishing must be finished.
    public var publishing: [ClaimedDownload] = []
    /// The downloads that now wait for `resume`.
    public var deferred: [DownloadID] = []
}

extension Transaction {
    fileprivate func recover(
        _ readable: RowFilter,
        after lost: LostNodes,
        node: String,
        now: Timestamp
    ) throws -> RecoveryResult {
        let isLost = lost.condition("node")
        let running = try database.downloads(
            """
            SELECT \(Download.columnList) FROM download
            WHERE state = 'running' AND \(isLost.sql) \(readable.clause) ORDER BY id
            """,
            isLost.values + readable.values
        )
        let left = try leftNodes()
        var recovered = RecoveryResult()
        for old in running {
            let isCrash = old.node.map { !left.contains($0) } ?? true
            switch old.recovering(isCrash: isCrash, at: now) {
            case .waiting(let update):
                _ = try write(update, over: old, at: now)
                recovered.deferred.append(old.id)
            case .publishing(var taken):
                taken.node = node
                try update(old, to: taken)
                recovered.publishing.append(try claimed(taken, by: node, now: now))
            case .queued(let update): _ = try write(update, over: old, at: now)
            case nil: break
            }
        }
        try register(node, after: lost, now: now)
        notices.insert(.downloads)
        return recovered
    }
}
