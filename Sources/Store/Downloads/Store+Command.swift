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
        let decided: DecidedCommand
        do throws(DownloadRefusal) {
            decided = try old.decide(
                command.action,
                edit,
                forces: command.forces,
                expectedRevision: command.expectedRevision
            )
        } catch {
            return .failure(error)
        }
        // Only failed and cancelled downloads may share a key with another download.
        if command.action == .retry, let key = old.request.dedupeKey, let holder = try download(dedupeKey: key),
            holder.id != old.id
        {
            return .failure(.dedupeKeyTaken(by: holder.id, old.state))
        }
        if let refusal = try refusal(of: edit, on: old) { return .failure(.assignment(refusal)) }
        let stoppedEpoch = decided.stopsWorker ? old.epoch : nil
        let current = try apply(edit, of: command, to: old, interrupts: decided.interrupts, now: now)
        guard let action = command.action, decided.changesState else {
            return .success(CommandResult(download: current, stoppedEpoch: stoppedEpoch))
        }
        let update = current.update(
            by: action,
            to: decided.machine,
            keepsPartial: command.keepsPartial,
            timeLimit: command.timeLimit,
            at: now
        )
        let new = try write(update, over: current, at: now)
        return .success(CommandResult(download: new, stoppedEpoch: stoppedEpoch))
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
        let update = old.update(
            by: edit,
            hasAction: command.action != nil,
            interrupts: interrupts,
            timeLimit: command.timeLimit
        )
        return try update.map { try write($0, over: old, at: now) } ?? old
    }
}
