extension SegmentPlan {
    /// Notes that a connection has written its share up to `position`.
    ///
    /// A position outside what it has left is not counted: it can only come from a share that it no longer has.
    public mutating func advance(_ connection: ConnectionID, writtenTo position: Int64) {
        guard let place = place(of: connection), position > planned[place].writtenEnd else { return }
        guard position <= planned[place].end else { return }
        planned[place].writtenEnd = position
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
        return FlushSnapshot(ranges: ranges, revision: revision)
    }

    /// Notes that the flush which the snapshot was taken for has succeeded.
    ///
    /// - Returns: false, and nothing counts as durable by it, when bytes were given up since: they may have been
    ///   written anew after the flush. The next flush settles it.
    @discardableResult
    public mutating func markDurable(_ snapshot: FlushSnapshot) -> Bool {
        guard snapshot.revision == revision else { return false }
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
        return true
    }

    /// Gives up written bytes that turned out to be damaged, or whose flush failed: they are missing again.
    ///
    /// Record ``segments`` at once: until then the rows claim what is given up. A connection that had nothing left to
    /// fetch is idle hereby when its last bytes are among them.
    public mutating func invalidate(_ range: Range<Int64>) {
        let before = planned
        planned.removeAll(keepingCapacity: true)
        for segment in before {
            let lost = range.clamped(to: segment.start..<segment.writtenEnd)
            if lost.isEmpty {
                planned.append(segment)
            } else {
                revision += 1
                appendParts(of: segment, without: lost)
            }
        }
        compact()
    }

    /// What is left of a segment: up to the lost bytes, and from behind them on, with the connection.
    private mutating func appendParts(of segment: PlannedSegment, without lost: Range<Int64>) {
        var head = segment
        head.end = lost.upperBound
        head.writtenEnd = lost.lowerBound
        head.durableEnd = min(segment.durableEnd, lost.lowerBound)
        head.connection = nil
        planned.append(head)
        guard lost.upperBound < segment.end else {
            steals.removeAll { $0.steal.victim == segment.connection }
            return
        }
        planned.append(
            PlannedSegment(
                index: takeIndex(),
                start: lost.upperBound,
                end: segment.end,
                writtenEnd: segment.writtenEnd,
                durableEnd: max(segment.durableEnd, lost.upperBound),
                connection: segment.connection
            )
        )
    }
}
