public import Core
import Store
import Transfer

extension DownloadService {
    /// Applies an edit, an action, or both, in one transaction. The patch is applied to the download read there.
    public func change(
        _ id: DownloadID,
        _ patch: DownloadPatch,
        replay: IdempotentOperation<Download>? = nil
    ) async throws -> IdempotentResult<DownloadView> {
        let now = time.now
        var command = Command(
            action: patch.action,
            edit: { [validator] in try validator.edit(patch, of: $0, now: now) },
            keepsPartial: patch.keepsPartial,
            forces: patch.forces,
            expectedRevision: patch.expectedRevision,
            timeLimit: settings.timeLimit
        )
        if let moved = try await move(id, patch, command, replay: replay) { return moved }
        let record = { (command: Command) in try await self.store.command(id, command, replay: replay, now: now) }
        let outcome: IdempotentResult<CommandOutcome>
        do {
            outcome = try await record(command)
        } catch StoreError.full where patch.action == .cancel && !patch.keepsPartial {
            try await makeRoom(byRemoving: id, stops: true, expectedRevision: patch.expectedRevision)
            // The revision was checked before. Stopping the worker has changed it.
            command.expectedRevision = nil
            outcome = try await record(command)
        }
        if case .done(.failure(.locked(_, let download))) = outcome, download.state == .completed, patch.movesFile {
            // It has completed since it was read, so its file is to be moved.
            return try await change(id, patch, replay: replay)
        }
        return try outcome.map { outcome in
            let result = try outcome.get()
            announceDue(result.download)
            if patch.edit[\.rateBytesPerSecond] != nil { running.updateRate(of: result.download) }
            stopWorker(of: result.download.id, stoppedEpoch: result.stoppedEpoch)
            return view(of: result.download)
        }
    }

    /// Deletes a download's record, its part file and, if `removesFile`, its finished file.
    ///
    /// If the file cannot be removed, the record is kept, so that the request can be repeated.
    ///
    /// - Parameter force: Cancels a download that has not ended before it is deleted.
    public func delete(
        _ id: DownloadID,
        force: Bool,
        removesFile: Bool,
        expectedRevision: Int64?
    ) async throws {
        let removed = removesFile ? try await removeFile(of: id, expectedRevision: expectedRevision) : nil
        let record = { (revision: Int64?) in
            // It may complete between the removal of its file and the deletion, so that it has another file.
            try await self.store.delete(
                id,
                force: force,
                removesFiles: removesFile && removed == nil,
                expectedRevision: revision,
                now: self.time.now
            )
        }
        let deletion: Result<Download, DownloadRefusal>
        do {
            deletion = try await record(expectedRevision)
        } catch StoreError.full {
            // On a full disk the deletion itself may need space, so remove bytes first.
            if removed == nil {
                try await makeRoom(byRemoving: id, stops: force, expectedRevision: expectedRevision)
            }
            // The revision was checked before. Stopping the worker has changed it.
            deletion = try await record(nil)
        }
        let download = try deletion.get()
        stopWorker(of: download.id, stoppedEpoch: download.state == .running ? download.epoch : nil)
    }

    /// Removes the finished file before its record is deleted. In the other order a file that cannot be removed would
    /// remain without a record.
    ///
    /// - Returns: The removed file; nil if there was none. A file of another download at the same path is kept.
    func removeFile(
        of id: DownloadID,
        expectedRevision: Int64?
    ) async throws -> PublishedFile? {
        guard var download = try await store.download(id) else { throw ServiceError.notFound }
        if download.file?.movingTo != nil {
            try await settleMove(of: download)
            download = try await store.download(id) ?? download
        }
        guard let file = download.finishedFile else { return nil }
        if let expectedRevision, expectedRevision != download.revision {
            throw ServiceError.revisionMismatch(current: download.revision)
        }
        // Another file may be in the place of one that expired.
        if file.expiredAt != nil, file.isMissing { return file }
        if !file.isSkipped { try await requireRoot(of: file) }
        // The lock prevents another download from taking the path until the file is removed.
        let isRemoved = try await engine.withPathLocked(of: file) { () async throws -> Bool in
            // A move may have been recorded while this task waited for the lock.
            guard try await store.download(id)?.finishedFile?.path == file.path else {
                return false
            }
            try await FileRemover(store: store, engine: engine).remove(file, of: download)
            return true
        }
        return isRemoved ? file : try await removeFile(of: id, expectedRevision: expectedRevision)
    }

    /// Removes the bytes of a download before its record: a full disk may have no space to write the deletion. A
    /// missing part file is fetched again, so the record stays valid.
    ///
    /// - Parameter stops: Whether to do so for a download that has not ended. Its worker is stopped first.
    private func makeRoom(
        byRemoving id: DownloadID,
        stops: Bool,
        expectedRevision: Int64?
    ) async throws {
        guard let download = try await store.download(id) else { throw ServiceError.notFound }
        guard stops || download.state.isTerminal, download.state != .completed, download.phase != .publishing,
            (expectedRevision ?? download.revision) == download.revision
        else { throw ServiceError.insufficientStorage }
        let worker = running.stop(id, epoch: download.epoch) ?? running.worker(of: id, upTo: download.epoch)
        await worker?.value
        // If it stays, the disk is still full, and the deletion fails again.
        try? await engine.discardPart(id, generation: download.generation, below: download.request.root)
    }
}

extension Download {
    /// The file of an ended download: its own, or the one that an earlier run left.
    fileprivate var finishedFile: PublishedFile? {
        guard state.isTerminal else { return nil }
        return state == .completed ? file : keptFile
    }
}
