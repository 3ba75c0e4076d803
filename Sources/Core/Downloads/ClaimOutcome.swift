/// The outcome of an attempt, which determines how the download continues.
public indirect enum ClaimOutcome: Hashable, Sendable {
    /// The file was published.
    case completed
    case failed(DownloadError)
    /// Another attempt follows, at a given time or when the cause of the wait has ended.
    case deferred(Deferral)
    /// The URL was refused with this error and replaced by a new one. The next attempt follows at the given time, or at
    /// once.
    case urlRefreshed(DownloadEdit, DownloadError, until: Timestamp?)
    /// The worker was stopped: the service stops, or a command ended or changed the download. This is not a failure. If
    /// the download has not ended, it is queued again.
    case interrupted
    /// The worker was stopped, because all downloads were paused. The download is queued again. As it may stay queued
    /// for long, an event reports it.
    case requeued(QueueDeferral)
}

extension Download {
    /// The bytes that count for the session's quota: the durable bytes; while the download runs, its whole size, if
    /// known. A file that was there before counts for the download that fetched it.
    public var heldBytes: Int64 {
        if file?.isSkipped == true { return 0 }
        guard state == .running else { return progress.durableBytes }
        return max(progress.durableBytes, progress.totalBytes ?? 0)
    }
}

extension DownloadError {
    /// The session's quota has too little space for the rest of the download.
    public static let quotaExceeded = Self(
        .quotaExceeded,
        message: "The download exceeds the quota of its session."
    )
}
