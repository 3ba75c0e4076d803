public import Model

/// How far a running transfer is at this moment; fresher than the stored row, and gone with the process.
public struct LiveProgress: Hashable, Sendable {
    public var receivedBytes: Int64
    public var totalBytes: Int64?
    public var bytesPerSecond: Int64
    public var phase: DownloadPhase
    /// Connections to the origin that are open.
    public var connections: Int
    public var updatedAt: Timestamp

    public init(
        receivedBytes: Int64,
        totalBytes: Int64?,
        bytesPerSecond: Int64,
        phase: DownloadPhase,
        connections: Int,
        updatedAt: Timestamp
    ) {
        self.receivedBytes = receivedBytes
        self.totalBytes = totalBytes
        self.bytesPerSecond = bytesPerSecond
        self.phase = phase
        self.connections = connections
        self.updatedAt = updatedAt
    }

    /// Seconds until the end at this speed, rounded up; nil while size or speed are unknown.
    var etaSeconds: Int64? {
        guard let totalBytes, bytesPerSecond > 0, totalBytes >= receivedBytes else { return nil }
        let (quotient, remainder) = (totalBytes - receivedBytes).quotientAndRemainder(dividingBy: bytesPerSecond)
        return remainder > 0 ? quotient + 1 : quotient
    }
}
