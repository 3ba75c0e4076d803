public import Core

/// Which bytes of a file are durable, written, under way and missing, and which connection fetches what.
///
/// The coordinator of one download owns it. Segments always cover the file without gap or overlap, and each is filled
/// from its start on. So a byte has one place in the plan, and cannot be given to two connections. Durable neighbours
/// are joined, so the number of segments follows that of the connections, not that of the shares. Each range that
/// ``retain(only:)`` drops adds one until it is fetched again.
///
/// Bytes come before the row that claims them: take a ``snapshot()``, flush the part file, ``markDurable(_:)``, and
/// record ``segments`` in place of all that were recorded before.
public struct SegmentPlan: Hashable, Sendable {
    /// The size of the file in bytes.
    public let total: Int64
    /// A steal cuts at a multiple of this many bytes, which keeps writes aligned.
    let splitMultiple: Int64
    /// Ascending; they cover `0..<total`.
    var planned: [PlannedSegment] = []
    var splits: [PendingSplit] = []
    var splitsMade = 0
    var nextIndex = 0

    /// A steal whose victim has not answered.
    struct PendingSplit: Hashable, Sendable {
        let split: ShareSplit
        /// Whether the thief still waits for it.
        var requesterWaits = true
    }

    /// Plans a file of which some bytes may be stored.
    ///
    /// - Parameters:
    ///   - total: In bytes; not negative.
    ///   - stored: The recorded segments, in any order. A row that lies outside the file, or overlaps another, is not
    ///     believed, nor is the other: their bytes count as missing. An open end means that of the file.
    ///   - splitMultiple: Where steals cut; at least 1.
    public init(total: Int64, stored: [Segment] = [], splitMultiple: Int64 = 65_536) {
        precondition(total >= 0 && splitMultiple > 0)
        self.total = total
        self.splitMultiple = splitMultiple
        cover(with: Self.believed(stored, total: total))
    }
}

/// A stretch of the file that is filled from its start on: durable, then written, then missing bytes.
struct PlannedSegment: Hashable, Sendable {
    let index: Int
    let start: Int64
    var end: Int64
    var writtenEnd: Int64
    var durableEnd: Int64
    /// The connection that fetches the missing bytes; nil for none.
    var connection: ConnectionID?

    var isWritten: Bool { writtenEnd == end }
    var remaining: Int64 { end - writtenEnd }

    /// Bytes of which none is written.
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

    /// The two joined; nil if the result would not be filled from its start on, or would take bytes from a connection.
    ///
    /// It keeps the index and start of the first: rows of an index only ever change behind their start.
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
    /// The bytes that are written, durable or not.
    public var writtenBytes: Int64 { planned.reduce(0) { $0 + $1.writtenEnd - $1.start } }

    /// The bytes that are not written yet.
    public var missingBytes: Int64 { total - writtenBytes }

    /// Whether every byte is written.
    public var isComplete: Bool { planned.allSatisfy(\.isWritten) }

    /// How far the file is written from its start without a hole.
    public var contiguousEnd: Int64 { planned.first { !$0.isWritten }?.writtenEnd ?? total }

    /// The connections that have a share, in the order of their bytes.
    public var connections: [ConnectionID] { planned.compactMap(\.connection) }

    /// One past the last byte of the connection's share; nil where it has none.
    public func end(of connection: ConnectionID) -> Int64? {
        place(of: connection).map { planned[$0].end }
    }

    /// The first missing bytes that no connection fetches; nil without any.
    public var firstGap: Range<Int64>? {
        planned.first { $0.connection == nil && !$0.isWritten }.map { $0.writtenEnd..<$0.end }
    }

    func place(of connection: ConnectionID) -> Int? {
        planned.firstIndex { $0.connection == connection }
    }
}

/// The bytes that were written, but not known to be durable, when a flush of the part file began.
public struct FlushSnapshot: Hashable, Sendable {
    /// Ascending, apart from each other, none empty.
    public let ranges: [Range<Int64>]

    public var isEmpty: Bool { ranges.isEmpty }
    public var byteCount: Int64 { ranges.reduce(0) { $0 + $1.upperBound - $1.lowerBound } }
}

extension SegmentPlan {
    /// Records that a connection has written its share up to `position`.
    ///
    /// A position outside what it has left is not counted: it can only come from a share that it no longer has.
    ///
    /// - Returns: Whether it is counted.
    @discardableResult
    public mutating func advance(_ connection: ConnectionID, writtenTo position: Int64) -> Bool {
        guard let place = place(of: connection), position > planned[place].writtenEnd else { return false }
        guard position <= planned[place].end else { return false }
        planned[place].writtenEnd = position
        return true
    }

    /// What a flush that begins now will make durable.
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

    /// Records that the flush for the snapshot has succeeded.
    public mutating func markDurable(_ snapshot: FlushSnapshot) {
        var ranges = snapshot.ranges[...]
        for place in planned.indices {
            while let range = ranges.first, range.lowerBound < planned[place].end {
                if range.lowerBound <= planned[place].durableEnd {
                    let durable = min(range.upperBound, planned[place].writtenEnd)
                    planned[place].durableEnd = max(durable, planned[place].durableEnd)
                }
                // The rest of a range that reaches into the next segment is handled there.
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
