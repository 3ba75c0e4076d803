public import Core

/// The result of a step of an operation.
public struct OperationStep: Sendable {
    /// The operation after the step.
    public let operation: BulkOperation
    /// The changed and deleted downloads, each with the worker to stop and the part file to remove.
    public internal(set) var results: [CommandResult] = []
}

extension Store {
    /// Carries out a step: the action on its downloads, the counts, and the position of the next step, all in one
    /// transaction. The last step also records the end of the operation and its event.
    ///
    /// - Parameters:
    ///   - failures: Downloads of the batch that are not changed, such as those whose files cannot be removed.
    ///   - removed: Downloads of the batch whose files were removed already.
    ///   - timeLimit: The time limit of a ``Command``.
    /// - Returns: nil if another step was carried out since the batch was read.
    public func carryOut(
        _ batch: OperationBatch,
        without failures: [BulkFailure] = [],
        removed: Set<DownloadID> = [],
        timeLimit: Duration,
        now: Timestamp
    ) async throws -> OperationStep? {
        let old = batch.operation
        return try await writer.write(isVital: old.request.isVital, touching: batch.ids) { transaction in
            guard let current = try transaction.database.operation(old.id), current.finishedAt == nil,
                current.position == old.position
            else { return nil }
            var step = PendingStep(operation: current, removed: removed, timeLimit: timeLimit, now: now)
            step.operation.counts.unchanged += batch.unchanged
            step.operation.add(failures)
            let excluded = Set(failures.map(\.download))
            for id in batch.ids where !excluded.contains(id) {
                do {
                    try transaction.act(on: id, &step)
                } catch StoreError.unreadableDownloads {
                    // The download is read before anything is written, so nothing has to be undone.
                    step.operation.add([BulkFailure(id, .unreadable)])
                }
            }
            step.operation.startedAt = current.startedAt ?? now
            step.operation.position = batch.next
            if batch.next == nil { step.operation.finishedAt = now }
            try transaction.update(current, to: step.operation)
            if batch.next == nil { try transaction.record(finished: step.operation, at: now) }
            return OperationStep(operation: step.operation, results: step.results)
        }
    }
}

private struct PendingStep {
    var operation: BulkOperation
    /// Downloads whose files were removed already.
    let removed: Set<DownloadID>
    let timeLimit: Duration
    let now: Timestamp
    var results: [CommandResult] = []

    mutating func add(_ result: CommandResult) {
        operation.counts.changed += 1
        results.append(result)
    }
}

extension Transaction {
    fileprivate func act(on id: DownloadID, _ step: inout PendingStep) throws {
        let request = step.operation.request
        guard let old = try download(id) else {
            // If the client named the download, its absence is a failure. Otherwise it does not match any more.
            if !request.filter.ids.isEmpty { step.operation.add([BulkFailure(id, .notFound)]) }
            return
        }
        guard try database.selects(request.filter, id) else { return }
        switch request.action.effect(on: old, forces: request.forces) {
        case .unchanged: step.operation.counts.unchanged += 1
        case .failure(let reason): step.operation.add([BulkFailure(id, reason)])
        case .change where request.isDryRun: try preview(old, &step)
        case .change:
            guard let action = request.action.downloadAction else { return try delete(old, &step) }
            try carryOut(action, on: old, &step)
        }
    }

    private func preview(_ old: Download, _ step: inout PendingStep) throws {
        let isRetry = step.operation.request.action == .retry
        if isRetry, let key = old.request.dedupeKey, let holder = try download(dedupeKey: key), holder.id != old.id {
            return step.operation.add([BulkFailure(old.id, .dedupeKeyTaken)])
        }
        var next = old
        if isRetry, old.state == .completed, !next.dropForgottenSecrets().isEmpty {
            return step.operation.add([BulkFailure(old.id, .secretsForgotten)])
        }
        step.operation.counts.changed += 1
    }

    private func carryOut(_ action: DownloadAction, on old: Download, _ step: inout PendingStep) throws {
        let command = Command(
            action: action,
            keepsPartial: step.operation.request.keepsPartial,
            forces: step.operation.request.forces,
            timeLimit: step.timeLimit
        )
        switch try carryOut(command, on: old, now: step.now) {
        case .success(let result): step.add(result)
        case .failure(.secretsForgotten): step.operation.add([BulkFailure(old.id, .secretsForgotten)])
        case .failure(.dedupeKeyTaken): step.operation.add([BulkFailure(old.id, .dedupeKeyTaken)])
        case .failure: step.operation.add([BulkFailure(old.id, .busy)])
        }
    }

    private func delete(_ old: Download, _ step: inout PendingStep) throws {
        // Most files were removed before the step. The others completed since.
        let removesFiles = step.operation.request.removesFile && !step.removed.contains(old.id)
        try deleteRecord(of: old, removesFiles: removesFiles, now: step.now)
        let stopped = old.state == .running ? old.epoch : nil
        step.add(CommandResult(download: old, stoppedEpoch: stopped))
    }
}
