extension SegmentPlan {
    /// The blocks that are durable as a whole once the flush of a snapshot has succeeded, and were not before.
    public func blocks(completedBy snapshot: FlushSnapshot, of grid: BlockGrid) -> [Int] {
        var flushed = self
        guard flushed.markDurable(snapshot) else { return [] }
        return grid.blocks(touching: snapshot.ranges, within: flushed.segments.durableRanges)
    }

    /// Gives up what is written outside of `ranges`.
    ///
    /// - Parameter ranges: Ascending and apart from each other.
    public mutating func keep(only ranges: [Range<Int64>]) {
        var position: Int64 = 0
        for range in ranges {
            if position < range.lowerBound { invalidate(position..<range.lowerBound) }
            position = range.upperBound
        }
        if position < total { invalidate(position..<total) }
    }
}

extension [Segment] {
    /// The durable bytes, ascending: what follows without a gap is one range.
    public var durableRanges: [Range<Int64>] {
        var ranges: [Range<Int64>] = []
        for segment in sorted(by: { $0.start < $1.start }) where segment.start < segment.durableEnd {
            if let last = ranges.last, segment.start <= last.upperBound {
                let end = Swift.max(last.upperBound, segment.durableEnd)
                ranges[ranges.count - 1] = last.lowerBound..<end
            } else {
                ranges.append(segment.start..<segment.durableEnd)
            }
        }
        return ranges
    }
}
