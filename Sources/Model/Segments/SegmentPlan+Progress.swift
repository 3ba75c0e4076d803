extension SegmentPlan {
    /// Notes that a connection has written its share up to `position`.
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

    /// Notes that the flush which the snapshot was taken for has succeeded.
    public mutating func markDurable(_ snapshot: FlushSnapshot) {
        var ranges = snapshot.ranges[...]
        for place in planned.indices {
            while let range = ranges.first, range.lowerBound < planned[place].end {
                if range.lowerBound <= planned[place].durableEnd {
                    let durable = min(range.upperBound, planned[place].writtenEnd)
                    planned[place].durableEnd = max(durable, planned[place].durableEnd)
                }
                // A range that goes on in the next segment is looked at there again.
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
