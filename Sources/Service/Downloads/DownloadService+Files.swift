import Core
import Store
import Transfer

/// Stops workers and removes files after a commit that made their claims stale.
extension DownloadService {
    /// Bytes that a download no longer needs, and the worker that may still write them.
    private struct Leftover {
        let download: Download
        let generation: Int
        let worker: Task<Void, Never>?
    }

    /// Tells the scheduler when the download is next due.
    func recordDue(_ download: Download) {
        running.recordDue(min(download.times.nextAttemptAt ?? download.times.deadlineAt, download.times.deadlineAt))
    }

    /// Stops a worker whose claim is stale, and removes unneeded bytes after it has ended.
    ///
    /// The caller does not wait for it, because the change is committed. If the process ends first, the sweep at the
    /// next start removes the bytes.
    func cleanUp(_ download: Download, stoppedEpoch: Int64?, discardedGeneration: Int?) {
        let leftover = stop(download, stoppedEpoch: stoppedEpoch, discardedGeneration: discardedGeneration)
        if let leftover { discard([leftover]) }
    }

    /// Does the same for many downloads. Their bytes are removed one download after another.
    func cleanUp(_ results: [CommandResult]) {
        let leftovers = results.compactMap {
            stop($0.download, stoppedEpoch: $0.stoppedEpoch, discardedGeneration: $0.discardedGeneration)
        }
        if !leftovers.isEmpty { discard(leftovers) }
    }

    /// - Returns: The bytes to remove; nil if there are none.
    private func stop(_ download: Download, stoppedEpoch: Int64?, discardedGeneration: Int?) -> Leftover? {
        let stopped = stoppedEpoch.flatMap { running.stop(download.id, epoch: $0) }
        // A worker that an earlier pause stopped may still write. A worker that is not registered yet removes its part
        // file itself.
        let worker = stopped ?? running.worker(of: download.id, upTo: download.epoch)
        return discardedGeneration.map { Leftover(download: download, generation: $0, worker: worker) }
    }

    /// Throws if the root of a finished file is not available. Its file is neither missing nor removed then.
    func requireRoot(of file: PublishedFile) async throws {
        do throws(RootUnavailable) {
            try await engine.requireRoot(of: file)
        } catch {
            throw ServiceError.rootUnavailable(error.message)
        }
    }

    private func discard(_ leftovers: [Leftover]) {
        Task { [engine] in
            for leftover in leftovers {
                await leftover.worker?.value
                await engine.discardPart(leftover.download.id, generation: leftover.generation)
                // If only the flush of its folder failed, the file may already be published.
                guard leftover.download.state == .cancelled, let file = leftover.download.file else { continue }
                try? await engine.discardFile(file)
            }
        }
    }
}
