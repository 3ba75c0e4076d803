public import Core

/// Tracks which bytes of a file are durable, written, in transfer and missing, and which connection fetches which
/// bytes.
///
/// The coordinator of one download owns it. The segments always cover the file without gaps or overlaps, and each is
/// filled from its start. So each byte is in exactly one segment and cannot be assigned to two connections. Durable
/// neighbours are joined, so the number of segments depends on the number of connections, not on that of the shares.
/// Each range that ``retain(only:)`` discards adds one segment until it is fetched again.
///
/// Bytes must be durable before a row records them: take a ``snapshot()``, flush the part file, call
/// ``markDurable(_:)``, and record ``segments`` in place of all earlier rows.
public struct SegmentPlan: Hashable, Sendable {
    /// The size of the file in bytes.
    public let total: Int64
    /// A split cuts at a multiple of this many bytes, so that writes stay aligned.
    let splitMultiple: Int64
    /// In ascending order; they cover `0..<total`.
    var planned: [PlannedSegment] = []
    var splits: [PendingSplit] = []
    var splitsMade = 0
    var nextIndex = 0

    /// A split whose victim has not replied yet.
    struct PendingSplit: Hashable, Sendable {
        let split: ShareSplit
        /// Whether the requester still waits for the split.
        var requesterWaits = true
    }

    /// Plans a file of which some bytes may be stored.
    ///
    /// - Parameters:
    ///   - total: The file's size in bytes; not negative.
    ///   - stored: The recorded segments, in any order. Rows outside the file and rows that overlap each other are
    ///     ignored, so their bytes count as missing. An open end means the end of the file.
    ///   - splitMultiple: Splits cut at multiples of this number of bytes; at least 1.
    public init(total: Int64, stored: [Segment] = [], splitMultiple: Int64 = 4096) {
        precondition(total >= 0 && splitMultiple > 0)
        self.total = total
        self.splitMultiple = splitMultiple
        cover(with: Self.believed(stored, total: total))
    }
}

/// A range of the file that is filled from its start: durable bytes, then written bytes, then missing bytes.
struct PlannedSegment: Hashable, Sendable {
    let index: Int
    let start: Int64
    var end: Int64
    var writtenEnd: Int64
    var durableEnd: Int64
    /// The connection that fetches the missing bytes; nil if there is none.
    var connection: ConnectionID?

    var isWritten: Bool { writtenEnd == end }
    var remaining: Int64 { end - writtenEnd }

    /// A segment without written bytes.
    static func missing(_ range: Range<Int64>, index: Int, for connection: ConnectionID?) -> Self {
        Self(
            index: index,
            start: range.lowerBound,
            end: range.upperBound,
            writtenEnd: range.lowerBound,
            durableEnd: range.lowerBound,
            connection: connection
        )
    }

    /// Both segments joined; nil if the result would not be filled from its start, or would take bytes from a
    /// connection.
    ///
    /// The result has the index and start of the first segment, because rows with the same index must keep their start.
    func joined(with next: PlannedSegment) -> PlannedSegment? {
        guard connection == nil else { return nil }
        let isDurable = durableEnd == end
        let nextIsEmpty = next.writtenEnd == next.start
        var joined = self
        joined.end = next.end
        if isWritten, isDurable || next.durableEnd == next.start {
            joined.writtenEnd = next.writtenEnd
            joined.durableEnd = isDurable ? next.durableEnd : durableEnd
            joined.connection = next.connection
            return joined
        }
        return nextIsEmpty && next.connection == nil ? joined : nil
    }
}

extension SegmentPlan {
    /// The number of written bytes, durable or not.
    public var writtenBytes: Int64 { planned.reduce(0) { $0 + $1.writtenEnd - $1.start } }

    /// The number of bytes that are not written yet.
    public var missingBytes: Int64 { total - writtenBytes }

    /// Whether every byte is written.
    public var isComplete: Bool { planned.allSatisfy(\.isWritten) }

    /// The number of written bytes from the start of the file without a gap.
    public var contiguousEnd: Int64 { planned.first { !$0.isWritten }?.writtenEnd ?? total }

    /// The connections with a share, in the order of their positions in the file.
    public var connections: [ConnectionID] { planned.compactMap(\.connection) }

    /// One past the last byte of the connection's share; nil if it has no share.
    public func end(of connection: ConnectionID) -> Int64? {
        place(of: connection).map { planned[$0].end }
    }

    /// The first missing bytes without a connection; nil if there are none.
    public var firstGap: Range<Int64>? {
        planned.first { $0.connection == nil && !$0.isWritten }.map { $0.writtenEnd..<$0.end }
    }

    func place(of connection: ConnectionID) -> Int? {
        planned.firstIndex { $0.connection == connection }
    }
}

/// The bytes that were written but not durable when a flush of the part file began.
public struct FlushSnapshot: Hashable, Sendable {
    /// In ascending order, without overlap; none is empty.
    public let ranges: [Range<Int64>]

    /// - Parameter ranges: See ``ranges``.
    public init(ranges: [Range<Int64>]) {
        self.ranges = ranges
    }

    public var isEmpty: Bool { ranges.isEmpty }
    public var byteCount: Int64 { ranges.reduce(0) { $0 + $1.upperBound - $1.lowerBound } }
}

extension SegmentPlan {
    /// Records that a connection has written its share up to `position`.
    ///
    /// A position outside the rest of the share is ignored: it can only refer to a share that the connection no longer
    /// has.
    ///
    /// - Returns: Whether the position was accepted.
    @discardableResult
    public mutating func advance(_ connection: ConnectionID, writtenTo position: Int64) -> Bool {
        guard let place = place(of: connection), position > planned[place].writtenEnd else { return false }
        guard position <= planned[place].end else { return false }
        planned[place].writtenEnd = position
        return true
    }

    /// The bytes that a flush starting now will make durable.
    public func snapshot() -> FlushSnapshot {
        var ranges: [Range<Int64>] = []
        for segment in planned where segment.durableEnd < segment.writtenEnd {
            if let last = ranges.last, last.upperBound == segment.durableEnd {
                ranges[ranges.count - 1] = last.lowerBound..<segment.writtenEnd
            } else {
                ranges.append(segment.durableEnd..<segment.writtenEnd)
            }
        }
        return FlushSnapshot(ranges: ranges)
    }

    /// Records that the flush for the snapshot succeeded.
    public mutating func markDurable(_ snapshot: FlushSnapshot) {
        var ranges = snapshot.ranges[...]
        for place in planned.indices {
            while let range = ranges.first, range.lowerBound < planned[place].end {
                if range.lowerBound <= planned[place].durableEnd {
                    let durable = min(range.upperBound, planned[place].writtenEnd)
                    planned[place].durableEnd = max(durable, planned[place].durableEnd)
                }
                // The part of a range that extends into the next segment is processed there.
                guard range.upperBound <= planned[place].end else {
                    ranges[ranges.startIndex] = planned[place].end..<range.upperBound
                    break
                }
                ranges.removeFirst()
            }
        }
        compact()
    }
}
