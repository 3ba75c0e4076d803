public import Core

extension SegmentPlan {
    /// The segments to record now, in ascending order. They replace all recorded segments. Segments without durable
    /// bytes are omitted.
    ///
    /// While a segment with an index is listed, its start does not change. An index is never reused for another
    /// segment.
    public var segments: [Segment] {
        planned.lazy.filter { $0.durableEnd > $0.start }.map { segment in
            Segment(index: segment.index, start: segment.start, end: segment.end, durableEnd: segment.durableEnd)
        }
    }

    /// The rows that lie within the file and overlap no other row, sorted by start. An open end becomes the end of the
    /// file.
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
        // If two earlier rows both extend into this one, they overlap each other and are already marked. So only the
        // row that extends farthest must be checked.
        var farthest = 0
        for place in sorted.indices.dropFirst() {
            if sorted[place].start < sorted[farthest].end { contradicted.formUnion([place, farthest]) }
            if sorted[place].end > sorted[farthest].end { farthest = place }
        }
        return sorted.indices.filter { !contradicted.contains($0) }.map { sorted[$0] }
    }

    /// Fills the gaps between the rows with missing segments.
    mutating func cover(with rows: [PlannedSegment]) {
        // No plan uses an index outside this range, so such a row gets a new index.
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

    /// Joins neighbours where the result is still filled from its start.
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
    /// Marks everything outside `ranges` as missing. Call it only before the plan has fetched any byte.
    ///
    /// Record ``segments`` before fetching: until then the recorded rows include discarded bytes.
    ///
    /// - Parameter ranges: In ascending order, without overlap.
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

    /// Adds the remaining parts of a segment: up to the lost bytes, and after them.
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
    /// The durable ranges, in ascending order. Adjacent segments form one range.
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

    /// The length of the durable bytes from the start of the file without a gap.
    public var contiguousEnd: Int64 {
        sorted { $0.start < $1.start }.reduce(0) { end, segment in
            segment.start <= end ? Swift.max(end, segment.durableEnd) : end
        }
    }

    /// The segments that lie within the file and do not overlap.
    public func believed(total: Int64?) -> Self {
        SegmentPlan(total: total ?? .max, stored: self).recordable(isOpenEnded: total == nil)
    }

    /// The number of bytes that survive a power failure.
    public var durableBytes: Int64 { reduce(0) { $0 + $1.durableEnd - $1.start } }
}

extension SegmentPlan {
    /// The segments to record.
    ///
    /// - Parameter isOpenEnded: Whether the file's size is unknown. An end at the plan's total is then recorded as
    ///   open.
    public func recordable(isOpenEnded: Bool) -> [Segment] {
        segments.map { segment in
            var segment = segment
            if isOpenEnded && segment.end == total { segment.end = nil }
            return segment
        }
    }
}
