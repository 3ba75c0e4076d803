import Core
import Store
import Transfer

/// Stops workers after a commit that made their claims stale. ``StorageCleaner`` removes what they leave.
extension DownloadService {
    /// Tells the scheduler when the download is next due.
    func announceDue(_ download: Download) {
        running.announceDue(min(download.times.nextAttemptAt ?? download.times.deadlineAt, download.times.deadlineAt))
    }

    /// Stops a worker whose claim is stale. The caller does not wait for its end, because the change is committed.
    ///
    /// - Parameter stoppedEpoch: nil if no worker has to stop.
    func stopWorker(of id: DownloadID, stoppedEpoch: Int64?) {
        if let stoppedEpoch { _ = running.stop(id, epoch: stoppedEpoch) }
    }

    func stopWorkers(of results: [CommandResult]) {
        for result in results { stopWorker(of: result.download.id, stoppedEpoch: result.stoppedEpoch) }
    }

    /// Throws if the root of a finished file is not available. Its file is neither missing nor removed then.
    func requireRoot(of file: PublishedFile) async throws {
        do throws(RootUnavailable) {
            try await engine.requireRoot(of: file)
        } catch {
            throw ServiceError.rootUnavailable(error.message)
        }
    }
}
