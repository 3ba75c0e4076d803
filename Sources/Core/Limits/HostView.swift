/// A host, as shown to users: the state in this process and the stored state.
public struct HostView: Hashable, Sendable {
    /// Name and port, as `host:port`.
    public let authority: String
    public let snapshot: HostSnapshot
    /// No ranges are requested before this instant; nil if ranges may be requested.
    public let refusesRangesUntil: Timestamp?
    /// The rate limit for its downloads together, in bytes per second; nil for the common limit of hosts.
    public let bytesPerSecond: Int64?

    /// - Parameter claimsDeferredUntil: The time before which no download of the host is claimed; nil for no delay.
    public init(
        authority: String,
        snapshot: HostSnapshot,
        claimsDeferredUntil: Timestamp?,
        refusesRangesUntil: Timestamp?,
        bytesPerSecond: Int64? = nil
    ) {
        self.authority = authority
        self.snapshot = claimsDeferredUntil.map(snapshot.deferred) ?? snapshot
        self.refusesRangesUntil = refusesRangesUntil
        self.bytesPerSecond = bytesPerSecond
    }
}
