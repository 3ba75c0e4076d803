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
            var new = old
            let discarded = old.progress.durableBytes
            try transaction.discardBytes(of: &new, now: now)
            if new.phase != .publishing { new.file = nil }
            new.attempts.recordRestart(reason: reason, isChange: isChange)
            let restart = Event.Restart(reason: reason, discardedBytes: discarded)
            try transaction.save(requests, of: claim.id)
            return .done(
                try transaction.transition(old, to: new, event: .downloadRestarted, restart: restart, at: now)
                    .generation
            )
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
            new.phase = .publishing
            new.file = file
            new.source = checkpoint.source
            new.progress.durableBytes = file.sizeBytes
            new.progress.totalBytes = file.sizeBytes
            new.times.progressedAt = now
            new.attempts.crashes = 0
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
            return .done(try transaction.recordOutcome(old, outcome, madeProgress: madeProgress, now: now))
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
        let durable = checkpoint.segments.reduce(0) { $0 + $1.durableEnd - $1.start }
        var new = old
        new.source = checkpoint.source
        new.progress.totalBytes = checkpoint.totalBytes
        new.progress.durableBytes = durable
        if new.phase == .probing { new.phase = .transferring }
        if checkpoint.isProgress && durable > old.progress.durableBytes {
            new.times.progressedAt = now
            new.attempts.recordProgress()
        }
        try requireRoom(from: old, to: new)
        try replaceSegments(of: old, with: checkpoint.segments)
        try saveBlocks(checkpoint, of: old)
        try update(old, to: new)
    }

    func recordOutcome(
        _ old: Download,
        _ outcome: ClaimOutcome,
        madeProgress: Bool,
        now: Timestamp
    ) throws -> Download {
        var new = old
        var machine = old.machine
        let event: EventType?
        let isHandled: Bool
        var restart: Event.Restart?
        var queueDeferral: QueueDeferral?
        switch outcome {
        case .completed:
            isHandled = machine.handle(.completed)
            event = .downloadCompleted
            new.error = nil
            new.keptFile = nil
            // No more requests to the origin will follow.
            new.forgetSecrets()
            // The part file no longer exists.
            try forgetBlocks(of: old)
        case .failed(let error):
            isHandled = machine.handle(.failed)
            event = .downloadFailed
            new.record(error.explaining(old.keptFile), isRetried: false, madeProgress: madeProgress, at: now)
        case .deferred(let deferral):
            isHandled = machine.handle(.deferred(deferral.reason))
            if let error = deferral.error {
                // The service does not retry a download that waits for `resume`.
                new.record(error, isRetried: deferral.reason != .resume, madeProgress: madeProgress, at: now)
                new.attempts.suspectResponses = deferral.isSuspect ? old.attempts.suspectResponses + 1 : 0
            } else if madeProgress {
                new.attempts.recordProgress()
            }
            new.times.nextAttemptAt = deferral.until
            if deferral.startsOver, let error = deferral.error {
                restart = try startOver(&new, because: error, now: now)
            }
            event = deferral.event
        case .urlRefreshed(let edit, let error, let until):
            isHandled = machine.handle(until == nil ? .interrupted : .deferred(.retry))
            new.times.nextAttemptAt = until
            event = .downloadRetrying
            new.applyRefreshedURL(edit, because: error, madeProgress: madeProgress, at: now)
        case .interrupted, .requeued:
            isHandled = machine.handle(.interrupted)
            // Only an orderly stop resets them: a response of the origin does not prove that the next attempt will not
            // crash the process.
            new.attempts.forgetCrashes()
            if case .requeued(let cause) = outcome { queueDeferral = cause }
            event = queueDeferral == nil ? nil : .downloadWaiting
        }
        guard isHandled else { throw StoreError.refused("\(old.id) cannot be recorded as \(outcome)") }
        if old.phase == .publishing && machine.state != .completed && new.generation == old.generation {
            // The complete file was durable before it was published, even if fewer bytes had been recorded.
            let size = old.progress.durableBytes
            try replaceSegments(of: old, with: [Segment(index: 0, start: 0, end: size, durableEnd: size)])
        }
        new.adopt(machine)
        let recorded = try transition(old, to: new, event: event, restart: restart, deferral: queueDeferral, at: now)
        return machine.state == .completed ? try forgetCallback(of: recorded) : recorded
    }

    /// Removes the encrypted callback URL from the download. The delivery of its last event still has the URL.
    private func forgetCallback(of download: Download) throws -> Download {
        var request = download.request
        guard request.callbackURLs.contains(where: \.isSealed) else { return download }
        request.callbackURL = request.callbackURL.map(\.withoutSecret)
        request.joinedCallbackURLs = request.joinedCallbackURLs.map(\.withoutSecret)
        var new = download
        new.request = request
        try execute("UPDATE download SET callback_url = ? WHERE id = ?", [request.callbackURLs, new.id])
        rows.record(new)
        return new
    }

    private func startOver(
        _ download: inout Download,
        because error: DownloadError,
        now: Timestamp
    ) throws -> Event.Restart {
        let discarded = download.progress.durableBytes
        try discardBytes(of: &download, now: now)
        download.file = nil
        return Event.Restart(reason: error.code.rawValue, discardedBytes: discarded)
    }
}

extension DownloadError {
    /// The error of a run that has failed, with a sentence about the file that an earlier run left.
    fileprivate func explaining(_ keptFile: PublishedFile?) -> Self {
        guard let keptFile else { return self }
        return Self(
            code,
            message: "\(message) The file of the earlier run is still at '\(keptFile.path)'.",
            httpStatus: httpStatus,
            curlCode: curlCode
        )
    }
}

extension Deferral {
    fileprivate var event: EventType {
        if startsOver { return .downloadRestarted }
        if error == nil { return .downloadWaiting }
        switch reason {
        case .retry, .host, .schedule: return .downloadRetrying
        case .space, .io, .credentials, .resume: return .downloadWaiting
        }
    }
}

extension Download {
    /// Continues with another URL. The refusal of the old URL is not a failure of the download.
    fileprivate mutating func applyRefreshedURL(
        _ edit: DownloadEdit,
        because failure: DownloadError,
        madeProgress: Bool,
        at now: Timestamp
    ) {
        edit.apply(to: &request)
        if madeProgress { attempts.recordProgress() }
        attempts.urlRefreshes += 1
        // Counters of consecutive failures and responses apply to one URL only.
        attempts.sameFailures = 0
        attempts.suspectResponses = 0
        error = DownloadFailure(error: failure, isRetried: true, attempt: attempts.count, at: now)
    }

    /// Records a failed attempt.
    fileprivate mutating func record(
        _ failure: DownloadError,
        isRetried: Bool,
        madeProgress: Bool,
        at now: Timestamp
    ) {
        attempts.record(failure.code, after: error?.error.code, madeProgress: madeProgress)
        error = DownloadFailure(error: failure, isRetried: isRetried, attempt: attempts.count, at: now)
    }
}
