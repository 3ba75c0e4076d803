/// What becomes of a download after a failed attempt.
public indirect enum RetryDecision: Hashable, Sendable {
    /// Try again when `after` has passed; `startsOver` asks for a plain request that discards the bytes.
    case retry(after: Duration, startsOver: Bool)
    /// Wait until somebody gives other credentials or another URL; the bytes are kept.
    case waitForCredentials
    /// Wait until the disk has room.
    case waitForSpace
    /// Wait until the disk can be read and written.
    case waitForIO
    /// It has failed, for this reason.
    case fail(DownloadError)
}
