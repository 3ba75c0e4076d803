public import Core

/// The progress of a running transfer at an instant. It is newer than the stored row, and is not persisted.
public struct LiveProgress: Hashable, Sendable {
    public var reading: ProgressReading
    public var readAt: Timestamp

    public init(_ reading: ProgressReading, at time: Timestamp) {
        self.reading = reading
        readAt = time
    }

    /// The current rate; nil outside the phase `transferring`.
    var bytesPerSecond: Int64? { reading.phase == .transferring ? Int64(reading.bytesPerSecond) : nil }

    /// Writes only the live members. The recorded ones belong to the resource.
    func writeMembers(to writer: inout JSONWriter) {
        writer.member("received_bytes", reading.receivedBytes)
        writer.member("total_bytes", reading.totalBytes)
        writer.member("verified_bytes", reading.verifiedBytes)
        writer.member("bytes_per_second", bytesPerSecond)
        writer.member("eta_seconds", etaSeconds)
        writer.member("connections", reading.connections)
        writer.member("updated_at", readAt)
    }

    /// Seconds until the end at the current rate, rounded up; nil if the size or the rate is unknown.
    var etaSeconds: Int64? {
        let received = reading.receivedBytes
        guard let total = reading.totalBytes, let bytesPerSecond, bytesPerSecond > 0, total >= received else {
            return nil
        }
        let (quotient, remainder) = (total - received).quotientAndRemainder(dividingBy: bytesPerSecond)
        return remainder > 0 ? quotient + 1 : quotient
    }
}
