/// How long the finished file of a download is kept. A request without it has its session's, or else the setting
/// `keep_files`.
public enum FileRetention: Hashable, Sendable {
    /// Until an instant that the client set.
    case until(Timestamp)
    /// For a time after the completion. Zero means "at once".
    case after(WholeSeconds)
    case forever

    /// The longest time: a hundred years, so that adding it to an instant cannot overflow.
    public static let longest = WholeSeconds(36_525 * 86_400)

    /// The instant from which the file is removed; nil for none.
    public func expiry(finishedAt: Timestamp) -> Timestamp? {
        switch self {
        case .until(let instant): instant
        case .after(let seconds): finishedAt + seconds.duration
        case .forever: nil
        }
    }

    /// `expires_at`
    public var instant: Timestamp? {
        guard case .until(let instant) = self else { return nil }
        return instant
    }
}
