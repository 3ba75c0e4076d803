extension SegmentPlan {
    /// Gives up what lies outside of `ranges`: it is missing again. Only for a plan by which nothing was fetched yet.
    ///
    /// Record ``segments`` before anything is: until then the rows claim what is given up.
    ///
    /// - Parameter ranges: Ascending and apart from each other.
    public mutating func keep(only ranges: [Range<Int64>]) {
        var position: Int64 = 0
        for range in ranges {
            if position < range.lowerBound { giveUp(position..<range.lowerBound) }
            position = range.upperBound
        }
        if position < total { giveUp(position..<total) }
    }

    private mutating func giveUp(_ range: Range<Int64>) {
        let before = planned
        planned.removeAll(keepingCapacity: true)
        for segment in before {
            let lost = range.clamped(to: segment.start..<segment.durableEnd)
            if lost.isEmpty {
                planned.append(segment)
            } else {
                appendParts(of: segment, without: lost)
            }
        }
        compact()
    }

    /// What is left of a segment: up to the lost bytes, and from behind them on.
    private mutating func appendParts(of segment: PlannedSegment, without lost: Range<Int64>) {
        var head = segment
        head.end = lost.upperBound
        head.writtenEnd = lost.lowerBound
        head.durableEnd = lost.lowerBound
        planned.append(head)
        guard lost.upperBound < segment.end else { return }
        planned.append(
            PlannedSegment(
                index: takeIndex(),
                start: lost.upperBound,
                end: segment.end,
                writtenEnd: segment.durableEnd,
                durableEnd: segment.durableEnd
            )
        )
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
