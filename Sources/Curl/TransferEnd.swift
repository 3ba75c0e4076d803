/// What is known of a transfer that ended well.
public struct TransferEnd: Hashable, Sendable {
    /// Bytes of the body that the sink took.
    public let bytesReceived: Int64
    public let timing: TransferTiming
    /// Whether the request went over a connection that an earlier one had opened.
    public let isConnectionReused: Bool
}

/// When the steps of a transfer were done, each counted from its start.
public struct TransferTiming: Hashable, Sendable {
    public let nameLookup: Duration
    public let connect: Duration
    /// Zero without TLS.
    public let tlsHandshake: Duration
    public let firstByte: Duration
    public let total: Duration
}
