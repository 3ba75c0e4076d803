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
        let update = current.update(
            by: action,
            to: machine,
            keepsPartial: command.keepsPartial,
            timeLimit: command.timeLimit,
            at: now
        )
        let new = try write(update, over: current, at: now)
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
        let update = old.update(
            by: edit,
            hasAction: command.action != nil,
            interrupts: interrupts,
            timeLimit: command.timeLimit
        )
        return try update.map { try write($0, over: old, at: now) } ?? old
    }
}
