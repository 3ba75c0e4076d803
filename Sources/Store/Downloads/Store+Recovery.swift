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
            // The new epoch makes the claim of the ended process stale.
            var new = old
            new.epoch += 1
            let isCrash = old.node.map { !left.contains($0) } ?? true
            if isCrash, let crashes = new.attempts.recordCrash() {
                try deferDownload(old, new, after: crashes, now: now)
                recovered.deferred.append(old.id)
            } else if old.phase == .publishing {
                recovered.publishing.append(try adopt(old, new, node: node, now: now))
            } else {
                try requeue(old, new, now: now)
            }
        }
        try register(node, after: lost, now: now)
        notices.insert(.downloads)
        return recovered
    }

    private func requeue(_ old: Download, _ counted: Download, now: Timestamp) throws {
        var machine = old.machine
        guard machine.handle(.interrupted) else { return }
        var new = counted
        new.adopt(machine)
        _ = try transition(old, to: new, event: nil, at: now)
    }

    private func adopt(
        _ old: Download,
        _ counted: Download,
        node: String,
        now: Timestamp
    ) throws -> ClaimedDownload {
        var new = counted
        new.node = node
        try update(old, to: new)
        return try claimed(new, by: node, now: now)
    }

    private func deferDownload(_ old: Download, _ counted: Download, after crashes: Int, now: Timestamp) throws {
        let error = DownloadError(
            .serviceCrashed,
            message: "The service ended unexpectedly \(crashes) times while this download ran. Resume it to try again."
        )
        try update(old, to: counted)
        let deferral = Deferral(reason: .resume, until: nil, error: error)
        _ = try recordOutcome(counted, .deferred(deferral), madeProgress: false, now: now)
    }
}
