extension Download {
    /// Begins an attempt of a queued download.
    ///
    /// - Parameter node: The process of the worker.
    public mutating func begin(by node: String, at now: Timestamp) {
        var machine = machine
        guard machine.handle(.claimed) else { return }
        adopt(machine)
        epoch += 1
        self.node = node
        revision += 1
        attempts.count += 1
        progress.resumedFromBytes = progress.durableBytes
        times.startedAt = times.startedAt ?? now
        times.updatedAt = now
        times.nextAttemptAt = nil
    }

    /// Records the durable bytes of a worker.
    public mutating func record(_ checkpoint: Checkpoint, at now: Timestamp) {
        let durable = checkpoint.segments.reduce(0) { $0 + $1.durableEnd - $1.start }
        let isProgress = checkpoint.isProgress && durable > progress.durableBytes
        source = checkpoint.source
        progress.totalBytes = checkpoint.totalBytes
        progress.durableBytes = durable
        if phase == .probing { phase = .transferring }
        guard isProgress else { return }
        times.progressedAt = now
        attempts.recordProgress()
    }

    /// Records the complete file and its final name. From then on the download cannot be stopped.
    public mutating func publish(_ file: PublishedFile, _ checkpoint: Checkpoint, at now: Timestamp) {
        phase = .publishing
        self.file = file
        source = checkpoint.source
        progress.durableBytes = file.sizeBytes
        progress.totalBytes = file.sizeBytes
        times.progressedAt = now
        attempts.crashes = 0
    }

    /// Discards the stored bytes within an attempt.
    ///
    /// - Parameters:
    ///   - reason: As in ``Event/Restart``.
    ///   - isChange: Whether the origin's file had changed. Such restarts are counted.
    public func restarting(because reason: String, isChange: Bool) -> DownloadUpdate {
        var update = DownloadUpdate(self)
        update.startOver(because: reason)
        if phase != .publishing { update.download.file = nil }
        update.download.attempts.recordRestart(reason: reason, isChange: isChange)
        return update
    }

    /// The update of a download that waits for space and gives up its bytes. It waits on.
    public func givingUpSpace() -> DownloadUpdate {
        var update = DownloadUpdate(self)
        update.startOver(because: DownloadError.Code.diskFull.rawValue)
        return update
    }

    /// The update of a failed download whose bytes are kept no longer. No event tells of it.
    public func purgingBytes() -> DownloadUpdate {
        var update = DownloadUpdate(self)
        update.discardBytes()
        return update
    }
}
