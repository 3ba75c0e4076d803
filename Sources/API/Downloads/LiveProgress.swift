public import Core

/// How far a running transfer was at an instant; fresher than the stored row, and gone with the process.
public struct LiveProgress: Hashable, Sendable {
    public var reading: ProgressReading
    public var readAt: Timestamp

    public init(_ reading: ProgressReading, at time: Timestamp) {
        self.reading = reading
        readAt = time
    }

    /// nil while nothing is transferred.
    var bytesPerSecond: Int64? { reading.phase == .transferring ? Int64(reading.bytesPerSecond) : nil }

    /// The live members only; the resource has the recorded ones.
    func writeMembers(to writer: inout JSONWriter) {
        writer.member("received_bytes", reading.receivedBytes)
        writer.member("total_bytes", reading.totalBytes)
        writer.member("verified_bytes", reading.verifiedBytes)
        writer.member("bytes_per_second", bytesPerSecond)
        writer.member("eta_seconds", etaSeconds)
        writer.member("connections", reading.connections)
        writer.member("updated_at", readAt)
    }

    /// Seconds until the end at this speed, rounded up; nil while size or speed are unknown.
    var etaSeconds: Int64? {
        let received = reading.receivedBytes
        guard let total = reading.totalBytes, let bytesPerSecond, bytesPerSecond > 0, total >= received else {
            return nil
        }
        let (quotient, remainder) = (total - received).quotientAndRemainder(dividingBy: bytesPerSecond)
        return remainder > 0 ? quotient + 1 : quotient
    }
}
