/// How a download fares at one instant.
public struct RampReading: Hashable, Sendable {
    /// Since any instant that stays the same for the download.
    public var at: Duration
    /// What all of its connections have received so far, in bytes. It never falls.
    public var receivedBytes: Int64
    /// The connections that have a share and received its first byte.
    public var connections: Int
    /// What is missing, in bytes.
    public var remainingBytes: Int64
    /// The time from a request to the first byte of its answer over an open connection; nil before it is known.
    public var roundTrip: Duration?
    /// The most connections that the user and the host allow; at least 1.
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
