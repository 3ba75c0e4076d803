extension Download {
    /// Begins an attempt of a queued download.
    ///
    /// - Parameter node: The process of the worker.
    public mutating func begin(by node: String, at now: Timestamp) {
        var machine = machine
        guard machine.handle(.claimed) else { return }
        excludeWait(since: self, at: now)
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
}
