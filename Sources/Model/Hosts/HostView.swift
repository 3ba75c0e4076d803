/// A host as callers see it: what the process knows of it, with what is remembered across starts.
public struct HostView: Hashable, Sendable {
    /// `host:port`.
    public let authority: String
    public let snapshot: HostSnapshot
    /// Its ranges are not relied on before.
    public let refusesRangesUntil: Timestamp?
    /// What its downloads together may take, in bytes per second; nil for the limit that all hosts have.
    public let bytesPerSecond: Int64?

    /// - Parameter claimsHeldUntil: Before which no download of it is begun; nil where any may be.
    public init(
        authority: String,
        snapshot: HostSnapshot,
        claimsHeldUntil: Timestamp?,
        refusesRangesUntil: Timestamp?,
        bytesPerSecond: Int64? = nil
    ) {
        self.authority = authority
        self.snapshot = claimsHeldUntil.map(snapshot.held) ?? snapshot
        self.refusesRangesUntil = refusesRangesUntil
        self.bytesPerSecond = bytesPerSecond
    }
}

extension HostSnapshot {
    /// The same, where downloads are kept from it that the governor would let in: it asked for that before the process
    /// began.
    fileprivate func held(until time: Timestamp) -> Self {
        guard state == .closed else { return self }
        return Self(
            state: .frozen,
            cap: cap,
            ceiling: ceiling,
            openConnections: openConnections,
            heldUntil: time,
            reason: .retryAfter
        )
    }
}
