public import Core

extension Store {
    /// Records durable progress. The bytes must already be on disk: the database never claims more than the disk has.
    ///
    /// The bytes of a worker that was just paused are recorded too. The result is still ``FencedResult/lost``, which
    /// stops the worker.
    ///
    /// - Parameter requests: New entries of the request log, written in the same transaction.
    /// - Throws: ``StoreError/quotaExceeded`` if the download would exceed the byte limit of its session.
    public func checkpoint(
        _ claim: Claim,
        _ checkpoint: Checkpoint,
        requests: [RequestRecord] = [],
        now: Timestamp
    ) async throws -> FencedResult<Void> {
        try await writer.write(touching: [claim.id]) { transaction in
            guard let old = try transaction.download(claim), old.generation == checkpoint.generation else {
                return .lost
            }
            try transaction.save(checkpoint, of: old, now: now)
            try transaction.save(requests, of: claim.id)
            return old.state == .running ? .done(()) : .lost
        }
    }

    /// Discards the stored bytes and starts a new generation.
    ///
    /// - Parameter isChange: Whether the origin's file had changed. Such restarts are counted.
    /// - Returns: The number of the new generation.
    public func restart(
        _ claim: Claim,
        reason: String,
        isChange: Bool,
        requests: [RequestRecord] = [],
        now: Timestamp
    ) async throws -> FencedResult<Int> {
        try await writer.write(touching: [claim.id]) { transaction in
            guard let old = try transaction.running(claim) else { return .lost }
            let restarted = old.restarting(because: reason, isChange: isChange)
            try transaction.save(requests, of: claim.id)
            return .done(try transaction.write(restarted, over: old, at: now).generation)
        }
    }

    /// Reserves the final name and records the finished file. From then on the download cannot be stopped.
    ///
    /// - Returns: false if another download in phase `publishing` has the name.
    /// - Throws: ``StoreError/quotaExceeded``, as a checkpoint does.
    public func publish(
        _ claim: Claim,
        _ file: PublishedFile,
        _ checkpoint: Checkpoint,
        requests: [RequestRecord] = [],
        now: Timestamp
    ) async throws -> FencedResult<Bool> {
        try await writer.write(touching: [claim.id]) { transaction in
            guard let old = try transaction.running(claim), old.generation == checkpoint.generation else {
                return .lost
            }
            try transaction.save(requests, of: claim.id)
            guard try !transaction.isReserved(file.path, in: file.root, except: claim.id) else { return .done(false) }
            var new = old
            new.publish(file, checkpoint, at: now)
            try transaction.requireRoom(from: old, to: new)
            try transaction.saveBlocks(checkpoint, of: old)
            try transaction.update(old, to: new)
            return .done(true)
        }
    }

    /// Ends an attempt: writes the state, its event and the deliveries in one transaction.
    ///
    /// - Parameter madeProgress: Whether the attempt made bytes durable, which resets the back-off.
    public func recordOutcome(
        _ claim: Claim,
        _ outcome: ClaimOutcome,
        madeProgress: Bool,
        requests: [RequestRecord] = [],
        now: Timestamp
    ) async throws -> FencedResult<Download> {
        try await writer.write(isVital: true, touching: [claim.id]) { transaction in
            guard let old = try transaction.running(claim) else { return .lost }
            try transaction.save(requests, of: claim.id)
            guard let ended = old.ending(with: outcome, madeProgress: madeProgress, at: now) else {
                throw StoreError.refused("\(old.id) cannot be recorded as \(outcome)")
            }
            return .done(try transaction.write(ended, over: old, at: now))
        }
    }

    /// Records until when a host is known to ignore ranges and send the whole file.
    public func flagHostRefusesRanges(_ authority: String, until: Timestamp) async throws {
        try await writer.write { transaction in
            try transaction.execute(
                """
                INSERT INTO host (authority, refuses_ranges_until_at) VALUES (?1, ?2)
                ON CONFLICT (authority) DO UPDATE SET refuses_ranges_until_at = ?2
                """,
                [authority, until]
            )
        }
    }

    /// Ends the deferral of a host's claims.
    public func allowClaims(of authority: String) async throws {
        try await writer.write { transaction in
            try transaction.execute("UPDATE host SET held_until_at = NULL WHERE authority = ?", [authority])
        }
    }

    /// Defers the claims of a host: none of its downloads is claimed before `until`.
    public func deferClaims(_ authority: String, until: Timestamp) async throws {
        try await writer.write { transaction in
            try transaction.execute(
                """
                INSERT INTO host (authority, held_until_at) VALUES (?1, ?2)
                ON CONFLICT (authority) DO UPDATE SET held_until_at = {greatest}(coalesce(host.held_until_at, 0), ?2)
                """,
                [authority, until]
            )
        }
    }
}

extension Transaction {
    /// The download of a claim; nil if the claim is stale.
    fileprivate func download(_ claim: Claim) throws -> Download? {
        guard let download = try download(claim.id) else { return nil }
        return (download.epoch, download.node) == (claim.epoch, claim.node) ? download : nil
    }

    /// The running download of a claim; nil if the claim is stale.
    fileprivate func running(_ claim: Claim) throws -> Download? {
        guard let download = try download(claim), download.state == .running else { return nil }
        return download
    }

    /// Whether another download is publishing or moving a file to this path below a root.
    func isReserved(_ path: String, in root: RootName, except id: DownloadID) throws -> Bool {
        try database.exists(
            """
            SELECT 1 FROM download WHERE phase = 'publishing' AND file_path = ?1 AND file_root = ?3 AND id <> ?2
            UNION ALL
            SELECT 1 FROM download WHERE file_moving_to = ?1 AND file_root = ?3 AND id <> ?2
            """,
            [path, id, root]
        )
    }

    fileprivate func save(_ checkpoint: Checkpoint, of old: Download, now: Timestamp) throws {
        var new = old
        new.record(checkpoint, at: now)
        try requireRoom(from: old, to: new)
        try replaceSegments(of: old, with: checkpoint.segments)
        try saveBlocks(checkpoint, of: old)
        try update(old, to: new)
    }
}
