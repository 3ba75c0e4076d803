/// How an attempt ended, and what follows from it.
public indirect enum ClaimOutcome: Hashable, Sendable {
    /// The file is in its place.
    case completed
    case failed(DownloadError)
    /// Another attempt follows: at the given time, or when the cause of the wait has gone.
    case deferred(Deferral)
    /// The link was refused for this reason, and another one takes its place: the next attempt follows at the given
    /// time, or at once.
    case urlRefreshed(DownloadEdit, DownloadError, until: Timestamp?)
    /// Its worker was stopped: the service stops, or a command ended or changed what it was at. Nothing is held against
    /// the download, which is queued again where it is to go on.
    case interrupted
}

/// Why a download is held, and until when.
public struct Deferral: Hashable, Sendable {
    public var reason: WaitingFor
    /// When it is due again; nil where something else than the clock lets it go on.
    public var until: Timestamp?
    /// What has failed; nil where nothing has, and the attempt is not held against the download.
    public var error: DownloadError?
    /// The bytes at hand are given up, so that the next attempt begins from nothing.
    public var startsOver: Bool
    /// The answer seemed to come from something other than the origin.
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
    /// What counts against the limit of its session: its durable bytes, and while it runs the size that it will have,
    /// once that is known.
    public var heldBytes: Int64 {
        guard state == .running else { return progress.durableBytes }
        return max(progress.durableBytes, progress.totalBytes ?? 0)
    }
}

extension DownloadError {
    /// The session has no room for the bytes to come.
    public static let quotaExceeded = Self(
        .quotaExceeded,
        message: "The downloads of the session would hold more bytes than it may have."
    )
}
