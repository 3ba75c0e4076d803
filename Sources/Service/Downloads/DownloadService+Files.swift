public import Core
import Store
import Transfer

/// What follows a commit that took a download out of its worker's hands.
extension DownloadService {
    /// The bytes of a download that nobody needs, and who may still be writing them.
    private struct Leftover {
        let download: Download
        let generation: Int
        let worker: Task<Void, Never>?
    }

    /// Lets the scheduler look at the clock's work when a download is next due.
    func recordDue(_ download: Download) {
        running.recordDue(min(download.times.nextAttemptAt ?? download.times.deadlineAt, download.times.deadlineAt))
    }

    /// Stops the worker that was fenced off, and removes the bytes that nobody needs once it has ended.
    ///
    /// The caller is answered before: what was asked for is committed, and a crash here is swept up at the next start.
    func cleanUp(_ download: Download, stoppedEpoch: Int64?, discardedGeneration: Int?) {
        let leftover = stop(download, stoppedEpoch: stoppedEpoch, discardedGeneration: discardedGeneration)
        if let leftover { discard([leftover]) }
    }

    /// The same for many, whose bytes are removed one after the other.
    func cleanUp(_ moved: [MovedDownload]) {
        let leftovers = moved.compactMap {
            stop($0.download, stoppedEpoch: $0.stoppedEpoch, discardedGeneration: $0.discardedGeneration)
        }
        if !leftovers.isEmpty { discard(leftovers) }
    }

    /// - Returns: What is to be removed.
    private func stop(_ download: Download, stoppedEpoch: Int64?, discardedGeneration: Int?) -> Leftover? {
        let stopped = stoppedEpoch.flatMap { running.stop(download.id, epoch: $0) }
        // One that a pause stopped earlier may still be at it. One that is not entered yet removes its part itself.
        let worker = stopped ?? running.worker(of: download.id, upTo: download.epoch)
        return discardedGeneration.map { Leftover(download: download, generation: $0, worker: worker) }
    }

    private func discard(_ leftovers: [Leftover]) {
        Task { [engine] in
            for leftover in leftovers {
                await leftover.worker?.value
                await engine.discardPart(leftover.download.id, generation: leftover.generation)
                // It may be in its place already, where its folder could not be synchronised.
                guard leftover.download.state == .cancelled, let file = leftover.download.file else { continue }
                try? await engine.discardFile(file)
            }
        }
    }
}

/// The file of a completed download, open for reading.
public struct FinishedFile: Sendable {
    public let download: Download
    /// Its name, without folders.
    public let name: String
    private let opened: OpenedFile

    init(_ download: Download, _ published: PublishedFile, _ opened: OpenedFile) {
        self.download = download
        name = published.pathComponents.last ?? published.path
        self.opened = opened
    }

    public var sizeBytes: Int64 { opened.sizeBytes }
    /// As the file system has it.
    public var modifiedAt: Timestamp { opened.modifiedAt }

    /// A descriptor of the caller's own, which it must close; nil where the process has none left.
    public func descriptor() -> Int32? { opened.descriptor() }
}
