public import Model
public import Store
import Transfers

extension DownloadService {
    /// What a request to change a download came to.
    public enum Changed: Sendable {
        case done(DownloadView)
        /// The answer that the same request got before.
        case replayed(StoredAnswer)
    }

    /// Edits a download, acts on it, or both, in one step.
    public func change(
        _ id: DownloadID,
        _ change: DownloadChange,
        replay: Replay? = nil
    ) async throws(JobError) -> Changed {
        let now = time.now
        let current = change.needsCurrent ? try await stored({ try await store.download(id) }) : nil
        if change.needsCurrent && current == nil { throw .notFound }
        let command = Command(
            action: change.action,
            edit: try checker.edit(change, of: current, now: now),
            keepsPartial: change.keepsPartial,
            expectedRevision: change.expectedRevision,
            timeLimit: settings.timeLimit
        )
        switch try await stored({ try await store.command(id, command, replay: replay, now: now) }) {
        case .done(let download, let stoppedEpoch, let discardedGeneration):
            live.noteDue(download.times.deadlineAt)
            cleanUp(download, stoppedEpoch: stoppedEpoch, discardedGeneration: discardedGeneration)
            return .done(view(of: download))
        case .notFound: throw .notFound
        case .invalidTransition(let refusal): throw .invalidTransition(refusal)
        case .revisionMismatch(let download): throw .revisionMismatch(current: download.revision)
        case .locked(let members, let download): throw .fieldLocked(members, download.state)
        case .replayed(let answer): return .replayed(answer)
        case .keyReused: throw .idempotencyKeyReused
        }
    }

    /// Deletes a download's record, its part file and, if `removesFile`, its finished file.
    ///
    /// - Parameter force: Cancels one that has not ended first.
    public func delete(
        _ id: DownloadID,
        force: Bool,
        removesFile: Bool,
        expectedRevision: Int64?
    ) async throws(JobError) {
        let deletion = try await stored {
            try await store.delete(id, force: force, expectedRevision: expectedRevision, now: time.now)
        }
        switch deletion {
        case .deleted(let download):
            cleanUp(
                download,
                stoppedEpoch: download.state == .running ? download.epoch : nil,
                discardedGeneration: download.generation
            )
            if removesFile, download.state == .completed, let file = download.file { await engine.remove(file) }
        case .notFound: throw .notFound
        case .notTerminal(let download): throw .notTerminal(download.state)
        case .busy: throw .busy
        case .revisionMismatch(let download): throw .revisionMismatch(current: download.revision)
        }
    }

    /// Stops the worker that was fenced off, and removes the bytes that nobody needs once it has ended.
    ///
    /// The caller is answered before: what was asked for is committed, and a crash here is swept up at the next start.
    private func cleanUp(_ download: Download, stoppedEpoch: Int64?, discardedGeneration: Int?) {
        let worker = stoppedEpoch.flatMap { live.stop(download.id, epoch: $0) }
        guard let discardedGeneration else { return }
        Task { [engine] in
            await worker?.value
            await engine.discardPart(download.id, generation: discardedGeneration)
        }
    }
}

extension DownloadChange {
    /// Whether the old credentials decide what the new ones are.
    fileprivate var needsCurrent: Bool { url != nil || requestHeaders != nil }
}
