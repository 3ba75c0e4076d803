public import Core

/// A connection that receives the body of its share.
public struct ConnectionReading: Hashable, Sendable {
    /// The first byte of the share.
    public let start: Int64
    public let bytesPerSecond: Double
    /// The host and port that send the body; nil if unknown.
    public let authority: String?

    public init(start: Int64, bytesPerSecond: Double, authority: String?) {
        self.start = start
        self.bytesPerSecond = bytesPerSecond
        self.authority = authority
    }
}

extension SegmentPlan {
    /// The ranges of the file as clients see them: received bytes, the shares of connections, and missing bytes. A file
    /// of unknown size is one range.
    ///
    /// - Parameter connection: The reading of a connection; nil if it still waits for its response.
    public func readings(
        isOpenEnded: Bool = false,
        of connection: (ConnectionID) -> ConnectionReading? = { _ in nil }
    ) -> [SegmentReading] {
        var readings: [SegmentReading] = []
        for segment in planned {
            if let id = segment.connection, !segment.isWritten {
                readings.append(segment, connection(id))
            } else {
                readings.append(segment.start..<segment.writtenEnd, .received)
                readings.append(segment.writtenEnd..<segment.end, .waiting)
            }
        }
        guard isOpenEnded, !readings.isEmpty else { return readings.merged() }
        readings = readings.merged(atMost: 1)
        readings[0].end = nil
        return readings
    }
}

extension [SegmentReading] {
    /// Appends the share of a connection. A plan joins durable bytes before a share with it; here they are apart.
    fileprivate mutating func append(_ segment: PlannedSegment, _ connection: ConnectionReading?) {
        var start = Swift.min(connection?.start ?? segment.writtenEnd, segment.writtenEnd)
        if start >= segment.start {
            append(segment.start..<start, .received)
        } else if let last, last.state == .received, last.start <= start {
            // The connection received these bytes too, as the previous segment of the plan.
            removeLast()
            append(last.start..<start, .received)
        } else {
            start = segment.start
        }
        append(
            SegmentReading(
                start: start,
                end: segment.end,
                receivedBytes: segment.writtenEnd - start,
                state: .running,
                bytesPerSecond: connection?.bytesPerSecond ?? 0,
                authority: connection?.authority
            )
        )
    }
}

extension [Segment] {
    /// The ranges of a file that nothing fetches.
    ///
    /// - Parameter total: The size of the file; nil if it is unknown.
    public func readings(total: Int64?) -> [SegmentReading] {
        SegmentPlan(total: total ?? .max, stored: self).readings(isOpenEnded: total == nil)
    }
}
