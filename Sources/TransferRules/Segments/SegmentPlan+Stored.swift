public import Core

extension SegmentPlan {
    /// The segments to record now, in place of all that were recorded: those with durable bytes, ascending.
    ///
    /// An index keeps its start for as long as it is listed, and is not used again for another one.
    public var segments: [Segment] {
        planned.lazy.filter { $0.durableEnd > $0.start }.map { segment in
            Segment(index: segment.index, start: segment.start, end: segment.end, durableEnd: segment.durableEnd)
        }
    }

    /// The rows that lie within the file and overlap no other, by their start, with the ends filled in.
    static func believed(_ rows: [Segment], total: Int64) -> [PlannedSegment] {
        let inFile = rows.compactMap { row -> PlannedSegment? in
            let end = row.end ?? total
            guard 0 <= row.start, row.start <= row.durableEnd, row.durableEnd <= end, end <= total else { return nil }
            guard row.start < end else { return nil }
            return PlannedSegment(
                index: row.index,
                start: row.start,
                end: end,
                writtenEnd: row.durableEnd,
                durableEnd: row.durableEnd
            )
        }
        let sorted = inFile.sorted { $0.start < $1.start }
        var contradicted = Set<Int>()
        // Two earlier rows that both reach into this one overlap each other and are marked already. So it is enough to
        // check the one that reaches farthest.
        var farthest = 0
        for place in sorted.indices.dropFirst() {
            if sorted[place].start < sorted[farthest].end { contradicted.formUnion([place, farthest]) }
            if sorted[place].end > sorted[farthest].end { farthest = place }
        }
        return sorted.indices.filter { !contradicted.contains($0) }.map { sorted[$0] }
    }

    /// Fills the space between the rows with missing bytes.
    mutating func cover(with rows: [PlannedSegment]) {
        // An index beyond these is no plan's; its row is given another.
        let plausible = 0..<Int(Int32.max)
        nextIndex = rows.reduce(0) { plausible.contains($1.index) ? max($0, $1.index + 1) : $0 }
        var used = Set<Int>()
        var position: Int64 = 0
        for row in rows {
            appendMissing(position..<row.start)
            let isKept = plausible.contains(row.index) && used.insert(row.index).inserted
            planned.append(
                PlannedSegment(
                    index: isKept ? row.index : makeIndex(),
                    start: row.start,
                    end: row.end,
                    writtenEnd: row.writtenEnd,
                    durableEnd: row.durableEnd
                )
            )
            position = row.end
        }
        appendMissing(position..<total)
        compact()
    }

    private mutating func appendMissing(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        planned.append(.missing(range, index: makeIndex(), for: nil))
    }

    mutating func makeIndex() -> Int {
        defer { nextIndex += 1 }
        return nextIndex
    }

    /// Joins neighbours that are filled from the start of the first on.
    mutating func compact() {
        var compacted: [PlannedSegment] = []
        compacted.reserveCapacity(planned.count)
        for segment in planned where segment.start < segment.end {
            if let joined = compacted.last?.joined(with: segment) {
                compacted[compacted.count - 1] = joined
            } else {
                compacted.append(segment)
            }
        }
        planned = compacted
    }
}

extension SegmentPlan {
    /// Marks everything outside of `ranges` as missing. Only for a plan that has fetched nothing yet.
    ///
    /// Record ``segments`` before anything is fetched: until then the rows claim dropped bytes.
    ///
    /// - Parameter ranges: Ascending and apart from each other.
    public mutating func retain(only ranges: [Range<Int64>]) {
        var position: Int64 = 0
        for range in ranges {
            if position < range.lowerBound { discard(position..<range.lowerBound) }
            position = range.upperBound
        }
        if position < total { discard(position..<total) }
    }

    private mutating func discard(_ range: Range<Int64>) {
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
                index: makeIndex(),
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

    /// How far the file is whole from its start.
    public var contiguousEnd: Int64 {
        sorted { $0.start < $1.start }.reduce(0) { end, segment in
            segment.start <= end ? Swift.max(end, segment.durableEnd) : end
        }
    }

    /// Those that lie within the file and do not contradict each other.
    public func believed(total: Int64?) -> Self {
        SegmentPlan(total: total ?? .max, stored: self).recordable(isOpenEnded: total == nil)
    }

    /// The bytes that would survive the loss of power.
    public var durableBytes: Int64 { reduce(0) { $0 + $1.durableEnd - $1.start } }
}

extension SegmentPlan {
    /// The segments to record.
    ///
    /// - Parameter isOpenEnded: Whether the file's size is unknown, so that the plan's end has no meaning.
    public func recordable(isOpenEnded: Bool) -> [Segment] {
        segments.map { segment in
            var segment = segment
            if isOpenEnded && segment.end == total { segment.end = nil }
            return segment
        }
    }
}
