public import Core

extension Store {
    /// Executes a command in one transaction: creates the edit from the current download, and writes it.
    ///
    /// The first commit wins. After a cancel, every write of the stopped worker is refused. After a pause, its
    /// checkpoints are still recorded, but no outcome.
    public func command(
        _ id: DownloadID,
        _ command: Command,
        replay: IdempotentOperation<Download>? = nil,
        now: Timestamp
    ) async throws -> IdempotentResult<CommandOutcome> {
        try await writer.write(isVital: command.freesSpace, touching: [id]) { transaction in
            try transaction.once(replay, now: now) {
                try transaction.carryOut(command, on: id, now: now)
            } keeping: { outcome in
                try? outcome.get().download
            }
        }
    }
}

extension Transaction {
    fileprivate func carryOut(_ command: Command, on id: DownloadID, now: Timestamp) throws -> CommandOutcome {
        guard let old = try download(id) else { return .failure(.notFound) }
        return try carryOut(command, on: old, now: now)
    }

    func carryOut(_ command: Command, on old: Download, now: Timestamp) throws -> CommandOutcome {
        let edit = try command.edit(old)
        if let expected = command.expectedRevision, expected != old.revision { return .failure(.revisionMismatch(old)) }
        let isForced = command.action == .retry && command.forces && old.state == .completed
        let locked = edit.lockedMembers(of: old, isForced: isForced)
        guard locked.isEmpty else { return .failure(.locked(locked, old)) }

        var machine = old.machine
        var effect = DownloadStateMachine.Effect.unchanged
        if let action = command.action {
            do {
                effect = try machine.apply(action, forced: command.forces)
            } catch {
                return .failure(.invalidTransition(error))
            }
        }
        // Only failed and cancelled downloads may share a key with another download.
        if command.action == .retry, let key = old.request.dedupeKey, let holder = try download(dedupeKey: key),
            holder.id != old.id
        {
            return .failure(.dedupeKeyTaken(by: holder.id, old.state))
        }
        if let refusal = try refusal(of: edit, on: old) { return .failure(.assignment(refusal)) }
        let keepsState = effect == .unchanged
        let interrupts = keepsState && old.state == .running && edit.changesAssignment(of: old.request)
        if interrupts && old.phase == .publishing { return .failure(.busy) }
        // The file is being moved or removed.
        if isForced, old.file?.movingTo != nil || old.file?.isExpiring == true { return .failure(.busy) }
        if isForced {
            var next = old
            edit.apply(to: &next.request)
            let needed = next.dropForgottenSecrets()
            guard needed.isEmpty else { return .failure(.secretsForgotten(needed)) }
        }
        let current = try apply(edit, of: command, to: old, interrupts: interrupts, now: now)
        guard let action = command.action, case .changed(let stopsWorker) = effect else {
            let stopped = interrupts ? old.epoch : nil
            return .success(CommandResult(download: current, stoppedEpoch: stopped))
        }
        let new = try move(current, by: action, to: machine, command, now: now)
        let stopped = stopsWorker ? old.epoch : nil
        return .success(CommandResult(download: new, stoppedEpoch: stopped))
    }

    /// Why the session or a webhook of an edit cannot be used; nil if they can.
    private func refusal(of edit: DownloadEdit, on old: Download) throws -> CreationRefusal? {
        if let ids = edit.webhookIDs, let index = try unknown(ids, but: old.request.webhookIDs) {
            return .unknownWebhook(at: index)
        }
        guard let name = edit.session?.value, name != old.request.session else { return nil }
        if try isSealed(name) { return .sessionSealed }
        let expected = (edit.expected ?? old.request.expected).sizeBytes
        let size = max(old.heldBytes, old.progress.totalBytes ?? expected ?? 0)
        return try hasRoom(name, for: size) ? nil : .quotaExceeded
    }

    /// - Parameter interrupts: Whether a running download goes back to the queue: its worker has the old values.
    func apply(
        _ edit: DownloadEdit,
        of command: Command,
        to old: Download,
        interrupts: Bool = false,
        now: Timestamp
    ) throws -> Download {
        guard !edit.isEmpty else { return old }
        var new = old
        edit.apply(to: &new.request)
        if new.hasNewURL(since: old) { new.attempts.urlRefreshes = 0 }
        if new.hasOtherURL(since: old) { new.source.previousFile = nil }
        new.setDeadline(timeLimit: command.timeLimit)
        guard new != old else { return old }
        if interrupts {
            var machine = old.machine
            _ = machine.handle(.interrupted)
            new.adopt(machine)
        }
        // If the request has an action, the action decides whether the download continues.
        let isDue = command.action == nil && new.resolvesWait(since: old)
        if isDue {
            var machine = old.machine
            _ = machine.handle(.due)
            new.adopt(machine)
        }
        let event: EventType? = isDue && old.waitingFor == .credentials ? .downloadResumed : nil
        return try transition(old, to: new, event: event, at: now)
    }

    private func move(
        _ old: Download,
        by action: DownloadAction,
        to machine: DownloadStateMachine,
        _ command: Command,
        now: Timestamp
    ) throws -> Download {
        var new = old
        new.adopt(machine)
        let event: EventType
        switch action {
        case .pause: event = .downloadPaused
        case .resume:
            event = .downloadResumed
            // The refresh server may work again, and so may this service, so both counts start again.
            new.attempts.urlRefreshes = 0
            new.attempts.forgetCrashes()
            // A resume before `not_before_at` clears it.
            if old.waitingFor == .schedule { new.request.notBefore = nil }
        case .cancel:
            event = .downloadCancelled
            // The new epoch makes the claim of a worker stale, so that it writes no more rows. An epoch of 0 means that
            // there was none.
            if old.epoch > 0 { new.epoch += 1 }
            if !command.keepsPartial {
                try discardBytes(of: &new, now: now)
                // If only the flush of its folder failed, the file may already be published.
                if let file = old.file { try remove(StorageTask(download: old.id, file), at: now) }
            }
        case .retry:
            event = .downloadResumed
            if old.state == .completed { try prepareAnotherFile(of: &new, now: now) }
            new.beginRun(now: now, timeLimit: command.timeLimit)
        }
        return try transition(old, to: new, event: event, at: now)
    }

    /// Prepares a completed download to be fetched again. Its file stays in its place.
    private func prepareAnotherFile(of download: inout Download, now: Timestamp) throws {
        download.keepFile()
        let old = download.request.callbackURLs
        _ = download.dropForgottenSecrets()
        if download.request.callbackURLs != old {
            try execute(
                "UPDATE download SET callback_url = ? WHERE id = ?",
                [download.request.callbackURLs, download.id]
            )
        }
        try discardBytes(of: &download, leavesPart: false, now: now)
    }

    /// Discards all bytes of a download, its file name, and the origin's metadata. The validator of the former file is
    /// kept. The next attempt writes a part file with a new name; the old one is removed after the commit.
    ///
    /// - Parameter leavesPart: Whether there may be a part file.
    func discardBytes(of download: inout Download, leavesPart: Bool = true, now: Timestamp) throws {
        try forgetSegments(of: download)
        try forgetBlocks(of: download)
        if leavesPart { try remove(download.partTask, at: now) }
        download.generation += 1
        download.forgetBytes()
    }
}

extension DownloadEdit {
    /// - Parameter isForced: Whether the command begins a new run of a completed download.
    fileprivate func lockedMembers(of download: Download, isForced: Bool) -> [String] {
        let locked = lockedMembers(of: download, in: isForced ? .failed : nil)
        // The new file takes the place of the one that is kept.
        guard isForced || download.keptFile != nil else { return locked }
        return placeMembers + locked.filter { !placeMembers.contains($0) }
    }

    /// Whether it changes what the worker of a running download was given and keeps until its end.
    fileprivate func changesAssignment(of request: DownloadRequest) -> Bool {
        session.map { $0.value != request.session } ?? false
            || directory.map { $0.value != request.directory } ?? false
            || filename.map { $0.value != request.filename } ?? false
            || expected.map { $0 != request.expected } ?? false
    }
}

extension Download {
    /// Starts a new run with reset counters. The bytes are kept.
    fileprivate mutating func beginRun(now: Timestamp, timeLimit: Duration) {
        run += 1
        attempts = Attempts()
        error = nil
        // With bytes, the complete file may already be published. Without bytes there is no file.
        if progress.durableBytes == 0 { file = nil }
        times.startedAt = nil
        times.progressedAt = now
        // A client's deadline that has passed would end the new run at once.
        if case .at(let deadline) = request.deadline, deadline > now { return }
        request.deadline = .serviceDefault
        times.deadlineAt = max(now, request.notBefore ?? now) + timeLimit
    }

    /// Sets the deadline after an edit. The client's replaces the stored one; the service's moves only if
    /// `not_before_at` requires it.
    fileprivate mutating func setDeadline(timeLimit: Duration) {
        switch request.deadline {
        case .at(let deadline): times.deadlineAt = deadline
        case .serviceDefault:
            if let notBefore = request.notBefore { times.deadlineAt = max(times.deadlineAt, notBefore + timeLimit) }
        }
    }

    /// Whether an edit has changed the URL. The new URL may be that of a web page.
    fileprivate func hasOtherURL(since old: Download) -> Bool { request.url != old.request.url }

    /// Whether an edit has changed the URL or set another `refresh_url`.
    fileprivate func hasNewURL(since old: Download) -> Bool {
        request.url != old.request.url || request.refreshURL != nil && request.refreshURL != old.request.refreshURL
    }

    /// Whether an edit has provided what the download waits for.
    fileprivate func resolvesWait(since old: Download) -> Bool {
        switch old.waitingFor {
        case .credentials:
            hasNewURL(since: old) || request.credentials != old.request.credentials
        case .schedule: request.notBefore != old.request.notBefore
        case .retry, .space, .io, .host, .resume, nil: false
        }
    }
}
