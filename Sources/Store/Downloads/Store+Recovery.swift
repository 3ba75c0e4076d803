public import Core

extension Store {
    /// Takes over the running downloads of an earlier process. The lock on the data folder proves that it has ended.
    ///
    /// Downloads in transfer are queued, and resume after their durable bytes. Downloads in phase `publishing` are
    /// claimed for `node`, which must finish them. Downloads that were running at several crashes wait for `resume`
    /// (docs/decisions/0027).
    public func recover(node: String, now: Timestamp) async throws -> RecoveryResult {
        try await unreadable.skipping { readable in
            try await writer.write(isVital: true) { try $0.recover(readable, node: node, now: now) }
        }
    }

    /// Records a graceful stop of the process `node`: downloads that it leaves running do not count a crash.
    public func recordStop(of node: String) async throws {
        try await writer.write(isVital: true) { transaction in
            try transaction.execute(
                """
                INSERT INTO service (id, stopped_node) VALUES (1, ?1)
                ON CONFLICT (id) DO UPDATE SET stopped_node = ?1
                """,
                [node]
            )
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
    /// The last process that stopped gracefully and left downloads running; nil if there is none.
    private func stoppedOwner() throws -> String? {
        try database.first(String.self, "SELECT stopped_node FROM service")
    }

    fileprivate func recover(_ readable: RowFilter, node: String, now: Timestamp) throws -> RecoveryResult {
        let left = try database.downloads(
            "SELECT \(Download.columnList) FROM download WHERE state = 'running' \(readable.clause) ORDER BY id",
            readable.values
        )
        let stopped = try stoppedOwner()
        var recovered = RecoveryResult()
        for old in left {
            // The new epoch makes the claim of the ended process stale.
            var new = old
            new.epoch += 1
            let isCrash = stopped == nil || old.node != stopped
            if isCrash, let crashes = new.attempts.recordCrash() {
                try deferDownload(old, new, after: crashes, now: now)
                recovered.deferred.append(old.id)
            } else if old.phase == .publishing {
                recovered.publishing.append(try adopt(old, new, node: node, now: now))
            } else {
                try requeue(old, new, now: now)
            }
        }
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
