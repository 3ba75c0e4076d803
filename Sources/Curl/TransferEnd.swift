/// What is known of a transfer that ended well.
public struct TransferEnd: Hashable, Sendable {
    /// Bytes of the body that the sink took.
    public let bytesReceived: Int64
    /// Whether the request went over a connection that an earlier one had opened.
    public let isConnectionReused: Bool
}
