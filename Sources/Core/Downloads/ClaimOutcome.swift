/// How an attempt ended, and what follows.
public indirect enum ClaimOutcome: Hashable, Sendable {
    /// The file is in its place.
    case completed
    case failed(DownloadError)
    /// Another attempt follows: at the given time, or when the cause of the wait has gone.
    case deferred(Deferral)
    /// The URL was refused for this reason and replaced by another one: the next attempt follows at the given time, or
    /// at once.
    case urlRefreshed(DownloadEdit, DownloadError, until: Timestamp?)
    /// Its worker was stopped: the service stops, or a command ended or changed the download. It counts as no failure.
    /// If the download has not ended, it is queued again.
    case interrupted
}

/// Why a download is deferred, and until when.
public struct Deferral: Hashable, Sendable {
    public var reason: WaitingFor
    /// When it is due again; nil if something other than the clock resumes it.
    public var until: Timestamp?
    /// The failure; nil if there was none, so that the attempt does not count.
    public var error: DownloadError?
    /// The stored bytes are discarded, so that the next attempt begins at byte 0.
    public var startsOver: Bool
    /// The response seemed not to come from the origin.
    public var isSuspect: Bool

    public init(
        reason: WaitingFor,
        until: Timestamp?,
        error: DownloadError?,
        startsOver: Bool = false,
        isSuspect: Bool = false
    ) {
        self.reason = reason
        self.until = until
        self.error = error
        self.startsOver = startsOver
        self.isSuspect = isSuspect
    }
}

extension Download {
    /// Bytes that count for the quota of its session: its durable bytes, and while it runs its whole size once that is
    /// known.
    public var heldBytes: Int64 {
        guard state == .running else { return progress.durableBytes }
        return max(progress.durableBytes, progress.totalBytes ?? 0)
    }
}

extension DownloadError {
    /// The session has no room for the bytes to come.
    public static let quotaExceeded = Self(
        .quotaExceeded,
        message: "The download exceeds the quota of its session."
    )
}
