/// Whether a connection to a host may be opened.
public enum HostAdmission: Hashable, Sendable {
    case open
    /// - Parameters:
    ///   - until: When to ask again; nil for when a connection to the host closes.
    case wait(until: Timestamp?, reason: HostHold)
}
