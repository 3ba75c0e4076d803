extension SegmentPlan {
    /// Finds work for an idle connection: the first missing bytes that nobody fetches, else the second half of the
    /// largest rest of another connection.
    ///
    /// - Parameters:
    ///   - connection: One that has written the whole of its share gives it up hereby.
    ///   - leastShare: Neither half of a split rest may have fewer bytes.
    /// - Returns: nil when nothing is worth taking, or when the connection has bytes left to fetch or to wait for.
    public mutating func nextShare(for connection: ConnectionID, leastShare: Int64) -> NextShare? {
        if let place = place(of: connection) {
            guard planned[place].isWritten else { return nil }
            release(connection)
        }
        if steals.contains(where: { $0.steal.thief == connection && $0.thiefWaits }) { return nil }
        if let gap = planned.firstIndex(where: { $0.connection == nil && !$0.isWritten }) {
            planned[gap].connection = connection
            let share = SegmentShare(connection: connection, start: planned[gap].writtenEnd, end: planned[gap].end)
            return .fetch(share)
        }
        return proposeSteal(for: connection, leastShare: max(leastShare, 1)).map { .steal($0) }
    }

    private mutating func proposeSteal(for thief: ConnectionID, leastShare: Int64) -> Steal? {
        var best: (victim: ConnectionID, remaining: Int64, cut: Int64, end: Int64)?
        for segment in planned where segment.remaining > best?.remaining ?? 0 {
            guard let victim = segment.connection, !steals.contains(where: { $0.steal.victim == victim }) else {
                continue
            }
            guard let cut = middle(of: segment, leastShare: leastShare) else { continue }
            best = (victim, segment.remaining, cut, segment.end)
        }
        guard let best else { return nil }
        let steal = Steal(victim: best.victim, thief: thief, proposedEnd: best.cut, end: best.end, number: stealsMade)
        stealsMade += 1
        steals.append(PendingSteal(steal: steal))
        return steal
    }

    /// The multiple nearest to the middle of what is missing that leaves both halves large enough.
    private func middle(of segment: PlannedSegment, leastShare: Int64) -> Int64? {
        let middle = segment.writtenEnd + segment.remaining / 2
        let offset = middle % splitMultiple
        let (below, above) = (middle - offset, middle.addingReportingOverflow(splitMultiple - offset))
        let candidates = above.overflow ? [below] : [below, above.partialValue]
        let fits = candidates.filter { cut in
            cut - segment.writtenEnd >= leastShare && cut < segment.end && segment.end - cut >= leastShare
        }
        return fits.min { abs($0 - middle) < abs($1 - middle) }
    }

    /// Gives a steal up: the victim keeps its whole share, and may be stolen from anew.
    public mutating func abandon(_ steal: Steal) {
        steals.removeAll { $0.steal == steal }
    }

    /// Whether a steal is still to be settled: its victim has the share that it is about.
    public func awaits(_ steal: Steal) -> Bool {
        steals.contains { $0.steal == steal } && place(of: steal.victim) != nil
    }

    /// Ends a steal with the answer of the victim's writer.
    ///
    /// - Parameter victimEnd: The end that the writer now keeps to: the proposed one, or where it already is beyond
    ///   that. The end of its share means that it gives nothing away. One before the proposed end counts as that:
    ///   what the victim leaves is missing once it is released.
    /// - Returns: What the thief is to fetch. nil when there is nothing left to give, when the victim was released
    ///   before it answered, or when the thief was: an idle thief then asks for its next share anew.
    public mutating func settle(_ steal: Steal, victimEnd: Int64) -> SegmentShare? {
        guard let pending = steals.firstIndex(where: { $0.steal == steal }) else { return nil }
        let thiefWaits = steals.remove(at: pending).thiefWaits
        guard let place = place(of: steal.victim) else { return nil }
        let (written, end) = (planned[place].writtenEnd, planned[place].end)
        let cut = min(max(victimEnd, steal.proposedEnd, written), end)
        guard cut < end else { return nil }
        planned[place].end = cut
        let taken = PlannedSegment(
            index: takeIndex(),
            start: cut,
            end: end,
            writtenEnd: cut,
            durableEnd: cut,
            connection: thiefWaits ? steal.thief : nil
        )
        planned.insert(taken, at: place + 1)
        compact()
        return thiefWaits ? SegmentShare(connection: steal.thief, start: cut, end: end) : nil
    }

    /// Lets a connection that has written the whole of its share go on with the missing bytes right behind it, if
    /// nobody fetches them: its answer may hold them too.
    ///
    /// - Parameter limit: One past the last byte that its answer holds.
    /// - Returns: One past the last byte that it may write now; nil where it is to stop.
    public mutating func extend(_ connection: ConnectionID, upTo limit: Int64) -> Int64? {
        guard let place = place(of: connection), planned[place].isWritten, place + 1 < planned.count else { return nil }
        let next = planned[place + 1]
        guard next.connection == nil, next.writtenEnd == next.start, next.start < limit else { return nil }
        release(connection)
        guard let gap = planned.firstIndex(where: { $0.connection == nil && $0.writtenEnd == next.start }) else {
            return nil
        }
        planned[gap].connection = connection
        return min(planned[gap].end, limit)
    }

    /// Takes its share from a connection that has stopped to write: what it wrote stays, the rest is missing.
    ///
    /// Call it after the last ``advance(_:writtenTo:)`` of the connection; a later one is not counted.
    public mutating func release(_ connection: ConnectionID) {
        steals.removeAll { $0.steal.victim == connection }
        for place in steals.indices where steals[place].steal.thief == connection { steals[place].thiefWaits = false }
        guard let place = place(of: connection) else { return }
        planned[place].connection = nil
        compact()
    }
}
