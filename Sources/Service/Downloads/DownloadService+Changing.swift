public import Core
import Store
import Transfer

extension DownloadService {
    /// What a request to change a download came to.
    public enum ChangeResult: Sendable {
        case done(DownloadView)
        /// The answer that the same request got before.
        case replayed(StoredResponse)
    }

    /// Edits a download, acts on it, or both, in one step: the patch is applied to what the transaction finds.
    public func change(
        _ id: DownloadID,
        _ patch: DownloadPatch,
        replay: IdempotentOperation<Download>? = nil
    ) async throws(ServiceError) -> ChangeResult {
        let now = time.now
        var command = Command(
            action: patch.action,
            edit: { [validator] in try validator.edit(patch, of: $0, now: now) },
            keepsPartial: patch.keepsPartial,
            expectedRevision: patch.expectedRevision,
            timeLimit: settings.timeLimit
        )
        let record = { (command: Command) async throws(ServiceError) in
            try await mappingStoreErrors { try await store.command(id, command, replay: replay, now: now) }
        }
        let outcome: CommandOutcome
        do {
            outcome = try await record(command)
        } catch .insufficientStorage where patch.action == .cancel && !patch.keepsPartial {
            try await makeRoom(byRemoving: id, stops: true, expectedRevision: patch.expectedRevision)
            // It was the expected one, and the end of the worker made another of it.
            command.expectedRevision = nil
            outcome = try await record(command)
        }
        switch outcome {
        case .done(let download, let stoppedEpoch, let discardedGeneration):
            recordDue(download)
            if patch.rateBytesPerSecond != nil { running.updateRate(of: download) }
            cleanUp(download, stoppedEpoch: stoppedEpoch, discardedGeneration: discardedGeneration)
            return .done(view(of: download))
        case .notFound: throw .notFound
        case .invalidTransition(let refusal): throw .invalidTransition(refusal)
        case .dedupeKeyTaken(let holder, let state): throw .dedupeKeyTaken(by: holder, state)
        case .revisionMismatch(let download): throw .revisionMismatch(current: download.revision)
        case .locked(let members, let download): throw .fieldLocked(members, download.state)
        case .replayed(let response): return .replayed(response)
        case .keyReused: throw .idempotencyKeyReused
        }
    }

    /// Deletes a download's record, its part file and, if `removesFile`, its finished file.
    ///
    /// A file that cannot be removed keeps its record, so that this can be asked again.
    ///
    /// - Parameter force: Cancels one that has not ended first.
    public func delete(
        _ id: DownloadID,
        force: Bool,
        removesFile: Bool,
        expectedRevision: Int64?
    ) async throws(ServiceError) {
        let removed = removesFile ? try await removeFile(of: id, expectedRevision: expectedRevision) : nil
        let record = { (revision: Int64?) async throws(ServiceError) in
            try await mappingStoreErrors {
                try await store.delete(id, force: force, expectedRevision: revision, now: time.now)
            }
        }
        let deletion: Deletion
        do {
            deletion = try await record(expectedRevision)
        } catch .insufficientStorage {
            // A full disk has no room even to write down what is to go; what is gone already made some.
            if removed == nil {
                try await makeRoom(byRemoving: id, stops: force, expectedRevision: expectedRevision)
            }
            // It was the expected one, and the end of the worker made another of it.
            deletion = try await record(nil)
        }
        switch deletion {
        case .deleted(let download):
            // It completed between the look at it and its end, so it is this very file.
            if removesFile, removed == nil, let file = download.file {
                try? await engine.discardFile(file)
            }
            cleanUp(
                download,
                stoppedEpoch: download.state == .running ? download.epoch : nil,
                discardedGeneration: download.generation
            )
        case .notFound: throw .notFound
        case .notTerminal(let download): throw .notTerminal(download.state)
        case .busy: throw .busy
        case .revisionMismatch(let download): throw .revisionMismatch(current: download.revision)
        }
    }

    /// Removes the finished file before its record: were it the other way round, a file that cannot be removed would
    /// stay on the disk, and nobody would know whose it is.
    ///
    /// - Returns: The file, if there was one. One that another download has replaced is left alone.
    private func removeFile(
        of id: DownloadID,
        expectedRevision: Int64?
    ) async throws(ServiceError) -> PublishedFile? {
        guard let download = try await mappingStoreErrors({ try await store.download(id) }) else { throw .notFound }
        guard download.state == .completed, let file = download.file else { return nil }
        if let expectedRevision, expectedRevision != download.revision {
            throw .revisionMismatch(current: download.revision)
        }
        // Whose it is stays so until it is gone.
        try await engine.withPathLocked(of: file) { () async throws(ServiceError) in
            guard try await !mappingStoreErrors({ try await store.hasLostFile(download) }) else { return }
            do {
                try await engine.remove(file)
            } catch {
                throw .fileNotRemoved("\(error)")
            }
        }
        return file
    }

    /// Removes the bytes of a download before its record says so: a full disk may have no room even to write that down.
    /// A part that is missing is fetched anew, so that they are gone harms no record.
    ///
    /// - Parameter stops: Whether one that has not ended may lose them too. Who writes them is stopped first.
    private func makeRoom(
        byRemoving id: DownloadID,
        stops: Bool,
        expectedRevision: Int64?
    ) async throws(ServiceError) {
        guard let download = try await mappingStoreErrors({ try await store.download(id) }) else { throw .notFound }
        guard stops || download.state.isTerminal, download.state != .completed, download.phase != .publishing,
            (expectedRevision ?? download.revision) == download.revision
        else { throw .insufficientStorage }
        let worker = running.stop(id, epoch: download.epoch) ?? running.worker(of: id, upTo: download.epoch)
        await worker?.value
        await engine.discardPart(id, generation: download.generation)
    }
}
