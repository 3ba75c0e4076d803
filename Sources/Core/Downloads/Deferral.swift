/// Why a download is deferred, and until when.
public struct Deferral: Hashable, Sendable {
    public var reason: WaitingFor
    /// When the download is due again; nil if not the clock but another event resumes it.
    public var until: Timestamp?
    /// The failure; nil if there was none. The attempt does not count then.
    public var error: DownloadError?
    /// Whether the stored bytes are discarded, so that the next attempt begins at byte 0.
    public var startsOver: Bool
    /// Whether the response seemed not to come from the origin.
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
