/// Why a queued download does not start although a slot is free.
public enum QueueDeferral: Hashable, Sendable {
    /// All downloads are paused. The end is known if a window of the schedule is the cause.
    case pause(until: Timestamp?)
    /// No root has enough free space.
    case space
    /// The governor of its host allows no further connection now.
    case host(HostSnapshot)

    /// The value of `waiting_for`.
    public var word: String {
        switch self {
        case .pause: Self.pauseWord
        case .space: WaitingFor.space.rawValue
        case .host: WaitingFor.host.rawValue
        }
    }

    /// The value that is not stored with any download.
    public static let pauseWord = "pause"
}
