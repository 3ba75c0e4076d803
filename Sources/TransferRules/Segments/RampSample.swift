/// The state of a download at one instant.
public struct RampSample: Hashable, Sendable {
    /// The time since a fixed instant of the download.
    public var at: Duration
    /// The bytes that all connections have received so far. It never decreases.
    public var receivedBytes: Int64
    /// The number of connections that have a share and have received its first byte.
    public var connections: Int
    /// The number of missing bytes.
    public var remainingBytes: Int64
    /// The time from a request to the first byte of its response on an open connection; nil if unknown.
    public var roundTrip: Duration?
    /// The maximum number of connections that the settings and the host allow; at least 1.
    public var ceiling: Int

    public init(
        at: Duration,
        receivedBytes: Int64,
        connections: Int,
        remainingBytes: Int64,
        roundTrip: Duration?,
        ceiling: Int
    ) {
        self.at = at
        self.receivedBytes = receivedBytes
        self.connections = connections
        self.remainingBytes = remainingBytes
        self.roundTrip = roundTrip
        self.ceiling = ceiling
    }
}
