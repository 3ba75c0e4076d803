extension Download {
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
