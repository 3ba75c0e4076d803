public import Core
import Store
import Transfer

extension DownloadService {
    /// The result of a change of a download.
    public enum ChangeResult: Sendable {
        case done(DownloadView)
        /// The stored response to the same request.
        case replayed(StoredResponse)
    }

    /// Edits a download, acts on it, or both, in one transaction. The patch is applied to the download found there.
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
            try await mappingStoreErrors { try await self.store.command(id, command, replay: replay, now: now) }
        }
        let outcome: CommandOutcome
        do {
            outcome = try await record(command)
        } catch .insufficientStorage where patch.action == .cancel && !patch.keepsPartial {
            try await makeRoom(byRemoving: id, stops: true, expectedRevision: patch.expectedRevision)
            // The revision was checked before; stopping the worker has changed it.
            command.expectedRevision = nil
            outcome = try await record(command)
        }
        switch outcome {
        case .done(let download, let stoppedEpoch, let discardedGeneration):
            recordDue(download)
            if patch.edit.rateBytesPerSecond != nil { running.updateRate(of: download) }
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
    /// If the file cannot be removed, the record stays, so that the request can be repeated.
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
                try await self.store.delete(id, force: force, expectedRevision: revision, now: self.time.now)
            }
        }
        let deletion: Deletion
        do {
            deletion = try await record(expectedRevision)
        } catch .insufficientStorage {
            // On a full disk even the deletion may not be recorded until bytes were removed.
            if removed == nil {
                try await makeRoom(byRemoving: id, stops: force, expectedRevision: expectedRevision)
            }
            // The revision was checked before; stopping the worker has changed it.
            deletion = try await record(nil)
        }
        switch deletion {
        case .deleted(let download):
            // The download completed between the read and the deletion, so this is its file.
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

    /// Removes the finished file before its record. In the other order a file that cannot be removed would stay without
    /// a record.
    ///
    /// - Returns: The file, if there was one. One that another download has replaced is left alone.
    func removeFile(
        of id: DownloadID,
        expectedRevision: Int64?
    ) async throws(ServiceError) -> PublishedFile? {
        guard let download = try await mappingStoreErrors({ try await store.download(id) }) else { throw .notFound }
        guard download.state == .completed, let file = download.file else { return nil }
        if let expectedRevision, expectedRevision != download.revision {
            throw .revisionMismatch(current: download.revision)
        }
        // The lock keeps the owner of the path unchanged until the file is removed.
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

    /// Removes the bytes of a download before the record of it: a full disk may have no room for the record. A missing
    /// part file is fetched again, so the record stays valid.
    ///
    /// - Parameter stops: Whether a download that has not ended loses them too. Its worker is stopped first.
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
