/// A session with what its downloads have made of it. All rules of sessions are here; the store reads and writes it.
public struct SessionAccount: Hashable, Sendable {
    public var session: Session
    /// Whether a client has deleted it. Its row stays, since its downloads and its epoch outlive it.
    public var isDeleted = false
    /// When the first download of this epoch was created or retried.
    public var epochStartedAt: Timestamp
    /// What has ended in this epoch, including deleted downloads.
    public var ended = Ended()
    /// Its downloads, whenever they ended, except deleted ones.
    public var totals = DownloadTotals()

    /// Downloads that have ended in one epoch.
    public struct Ended: Hashable, Sendable {
        public var completed = 0
        public var failed = 0
        public var cancelled = 0
        public var receivedBytes: Int64 = 0

        public init() {}
    }

    /// - Parameter now: When it is created.
    public init(_ name: SessionName, at now: Timestamp) {
        session = Session(name: name, createdAt: now)
        epochStartedAt = now
    }
}

// MARK: - Open downloads

extension SessionAccount {
    /// Restores a deleted session.
    public mutating func restore(at now: Timestamp) {
        session.createdAt = now
        session.finishedAt = nil
        isDeleted = false
    }

    /// Counts a download that is created, retried or moved to the session.
    ///
    /// - Returns: The epoch that it belongs to.
    public mutating func open(at now: Timestamp) -> Int64 {
        if isDeleted { restore(at: now) }
        if session.openCount == 0 { epochStartedAt = now }
        session.openCount += 1
        session.finishedAt = nil
        return session.epoch
    }

    /// Counts a download that has ended or left the session.
    ///
    /// - Returns: What the session has to report if it was the last open one. The next epoch begins then.
    public mutating func close(at now: Timestamp) -> FinishedSession? {
        session.openCount -= 1
        guard session.openCount == 0 else { return nil }
        var finished = FinishedSession(
            name: session.name,
            epoch: session.epoch,
            startedAt: epochStartedAt,
            finishedAt: now
        )
        finished.isSealed = session.isSealed
        finished.counts = [.completed: ended.completed, .failed: ended.failed, .cancelled: ended.cancelled]
        finished.receivedBytes = ended.receivedBytes
        finished.labels = session.settings.labels
        finished.callbackURL = session.settings.callbackURL
        finished.webhookIDs = session.settings.webhookIDs
        session.epoch += 1
        session.finishedAt = now
        ended = Ended()
        return finished
    }

    /// Counts a change of a download that belongs to this epoch. Only ended downloads count.
    ///
    /// - Parameters:
    ///   - old: nil if the download has just entered the epoch.
    ///   - new: nil if it has left the epoch by a retry. A deleted download stays counted.
    public mutating func countEnded(from old: Download?, to new: Download?) {
        if let old { ended.add(old, times: -1) }
        if let new { ended.add(new, times: 1) }
    }
}

extension SessionAccount.Ended {
    fileprivate mutating func add(_ download: Download, times sign: Int) {
        switch download.state {
        case .completed: completed += sign
        case .failed: failed += sign
        case .cancelled: cancelled += sign
        case .queued, .running, .waiting, .paused: return
        }
        receivedBytes += Int64(sign) * download.progress.durableBytes
    }
}

// MARK: - The quota

extension SessionAccount {
    /// Whether the session allows this many more bytes. Without additional bytes the result is true: a lowered limit
    /// removes no bytes.
    public func hasRoom(for bytes: Int64) -> Bool {
        guard bytes > 0, let limit = session.settings.maxBytes else { return true }
        return session.usedBytes <= limit - bytes
    }
}
