/// How a host stands, for those who ask.
public struct HostSnapshot: Hashable, Sendable {
    public enum State: String, Hashable, Sendable {
        /// Connections are opened, up to the cap.
        case closed
        /// None is: downloads failed one after another.
        case open
        /// One may be, as a probe.
        case halfOpen = "half_open"
        /// None is: the host asked for it.
        case frozen
    }

    public let state: State
    /// The connections that it bears, as far as is known; at most the ceiling.
    public let cap: Int
    /// The connections that the settings allow.
    public let ceiling: Int
    public let openConnections: Int
    /// When a connection may be opened again; nil unless the host is frozen or open.
    public let heldUntil: Timestamp?
    /// Why none may be opened now; nil when one may.
    public let reason: HostHold?
    /// The most connections of one download that it was seen to bear; nil where it refused none.
    public var connectionsPerDownload: Int?
}
