extension SegmentPlan {
    /// Finds work for an idle connection: the first missing bytes that no connection fetches, else the second half of
    /// the largest rest of another connection.
    ///
    /// - Parameters:
    ///   - connection: If it has written the whole of its share, the call releases that share.
    ///   - leastShare: Neither part of a split rest may have fewer bytes.
    ///   - lead: The bytes that a victim fetches before the connection begins (negative: after it). The victim's part
    ///     is larger by these, so that both finish at the same time.
    ///   - mostShare: About the most bytes that the connection asks for, and that its victim keeps. Later connections
    ///     get the bytes behind them without cutting its response off.
    /// - Returns: nil when nothing is worth taking, or when the connection has bytes left to fetch or to wait for.
    public mutating func nextShare(
        for connection: ConnectionID,
        leastShare: Int64,
        lead: (ConnectionID) -> Int64 = { _ in 0 },
        mostShare: Int64 = .max
    ) -> ShareAssignment? {
        if let place = place(of: connection) {
            guard planned[place].isWritten else { return nil }
            release(connection)
        }
        if splits.contains(where: { $0.split.requester == connection && $0.requesterWaits }) { return nil }
        if let gap = planned.firstIndex(where: { $0.connection == nil && !$0.isWritten }) {
            assign(gap, to: connection, mostShare: mostShare)
            let share = SegmentShare(connection: connection, start: planned[gap].writtenEnd, end: planned[gap].end)
            return .fetch(share)
        }
        return proposeSplit(for: connection, max(leastShare, 1), max(mostShare, 1), lead).map { .split($0) }
    }

    /// Makes the bytes of a gap the connection's, or the first of them.
    private mutating func assign(_ gap: Int, to connection: ConnectionID, mostShare: Int64) {
        planned[gap].connection = connection
        let (start, end) = (planned[gap].writtenEnd, planned[gap].end)
        let cut = partEnd(from: start, within: end, mostShare: max(mostShare, 1))
        guard cut < end else { return }
        planned[gap].end = cut
        planned.insert(.missing(cut..<end, index: makeIndex(), for: nil), at: gap + 1)
    }

    /// Where a share of about `mostShare` bytes ends that begins at `start`: no small rest is left behind it.
    private func partEnd(from start: Int64, within end: Int64, mostShare: Int64) -> Int64 {
        let cut = start.addingReportingOverflow(mostShare).partialValue
        guard end - start > mostShare, end - cut > mostShare / 2 else { return end }
        let (above, isTooFar) = cut.addingReportingOverflow((splitMultiple - cut % splitMultiple) % splitMultiple)
        return isTooFar ? end : min(above, end)
    }

    /// Proposes the steal by which the victim that would be done last is done the soonest.
    private mutating func proposeSplit(
        for requester: ConnectionID,
        _ leastShare: Int64,
        _ mostShare: Int64,
        _ lead: (ConnectionID) -> Int64
    ) -> ShareSplit? {
        var best: (victim: ConnectionID, gain: Int64, cut: Int64, end: Int64)?
        for segment in planned where segment.remaining > 0 {
            guard let victim = segment.connection, !splits.contains(where: { $0.split.victim == victim }) else {
                continue
            }
            let lead = lead(victim)
            let gain = segment.remaining.subtractingReportingOverflow(lead)
            let (gained, least) = (gain.overflow ? .max : gain.partialValue, best?.gain ?? 0)
            guard gained > least, let cut = cut(of: segment, lead, leastShare, mostShare) else { continue }
            best = (victim, gained, cut, partEnd(from: cut, within: segment.end, mostShare: mostShare))
        }
        guard let best else { return nil }
        let split = ShareSplit(
            victim: best.victim,
            requester: requester,
            proposedEnd: best.cut,
            end: best.end,
            number: splitsMade
        )
        splitsMade += 1
        splits.append(PendingSplit(split: split))
        return split
    }

    /// The multiple nearest to where both would be done at one time that leaves both parts large enough.
    private func cut(of segment: PlannedSegment, _ lead: Int64, _ leastShare: Int64, _ mostShare: Int64) -> Int64? {
        let retained = min(max(segment.remaining / 2 + lead / 2, leastShare), mostShare)
        let ideal = segment.writtenEnd + min(retained, segment.remaining)
        let offset = ideal % splitMultiple
        let (below, above) = (ideal - offset, ideal.addingReportingOverflow(splitMultiple - offset))
        let candidates = above.overflow ? [below] : [below, above.partialValue]
        let fits = candidates.filter { cut in
            cut - segment.writtenEnd >= leastShare && cut < segment.end && segment.end - cut >= leastShare
        }
        return fits.min { abs($0 - ideal) < abs($1 - ideal) }
    }

    /// Cancels a steal: the victim keeps its whole share, and may be stolen from again.
    public mutating func abandon(_ split: ShareSplit) {
        splits.removeAll { $0.split == split }
    }

    /// Whether a steal is still to be settled: its victim has the share that it is about.
    public func awaits(_ split: ShareSplit) -> Bool {
        splits.contains { $0.split == split } && place(of: split.victim) != nil
    }

    /// Ends a steal with the answer of the victim's writer.
    ///
    /// - Parameter victimEnd: The end that the victim's writer now keeps to: the proposed one, or a later one if it is
    ///   already past that. The end of its share means that it gives nothing away. An earlier one counts as the
    ///   proposed end: the bytes between are missing once the victim is released.
    /// - Returns: The share of the thief; nil if nothing is left, or if the victim or the thief was released before. An
    ///   idle thief then asks for a share again.
    public mutating func finish(_ split: ShareSplit, victimEnd: Int64) -> SegmentShare? {
        guard let pending = splits.firstIndex(where: { $0.split == split }) else { return nil }
        let requesterWaits = splits.remove(at: pending).requesterWaits
        guard let place = place(of: split.victim) else { return nil }
        let (written, end) = (planned[place].writtenEnd, planned[place].end)
        let cut = min(max(victimEnd, split.proposedEnd, written), end)
        guard cut < end else { return nil }
        planned[place].end = cut
        let requesterEnd = cut < split.end ? min(split.end, end) : end
        let requester = requesterWaits ? split.requester : nil
        planned.insert(.missing(cut..<requesterEnd, index: makeIndex(), for: requester), at: place + 1)
        if requesterEnd < end {
            planned.insert(.missing(requesterEnd..<end, index: makeIndex(), for: nil), at: place + 2)
        }
        compact()
        return requesterWaits ? SegmentShare(connection: split.requester, start: cut, end: requesterEnd) : nil
    }

    /// Extends the share of a connection that has written all of it by the missing bytes right behind, if no connection
    /// fetches them: its response may have them too.
    ///
    /// - Parameters:
    ///   - limit: One past the last byte that its answer holds.
    ///   - mostShare: About the most bytes of the extension.
    /// - Returns: One past the last byte that it may write now; nil to stop.
    public mutating func extend(
        _ connection: ConnectionID,
        upTo limit: Int64,
        mostShare: Int64 = .max
    ) -> Int64? {
        guard let place = place(of: connection), planned[place].isWritten, place + 1 < planned.count else { return nil }
        let next = planned[place + 1]
        guard next.connection == nil, next.writtenEnd == next.start, next.start < limit else { return nil }
        release(connection)
        guard let gap = planned.firstIndex(where: { $0.connection == nil && $0.writtenEnd == next.start }) else {
            return nil
        }
        assign(gap, to: connection, mostShare: mostShare)
        return min(planned[gap].end, limit)
    }

    /// Takes its share from a connection that has stopped to write: what it wrote stays, the rest is missing.
    ///
    /// Call it after the last ``advance(_:writtenTo:)`` of the connection; a later one is not counted.
    public mutating func release(_ connection: ConnectionID) {
        splits.removeAll { $0.split.victim == connection }
        for place in splits.indices where splits[place].split.requester == connection {
            splits[place].requesterWaits = false
        }
        guard let place = place(of: connection) else { return }
        planned[place].connection = nil
        compact()
    }
}

/// What an idle connection does next.
public enum ShareAssignment: Hashable, Sendable {
    /// Fetch these bytes. They are the connection's until it is released.
    case fetch(SegmentShare)
    /// Ask the victim's writer to stop at ``ShareSplit/proposedEnd``, and settle the steal with its answer.
    case split(ShareSplit)

    /// The first byte to ask for.
    public var start: Int64 {
        switch self {
        case .fetch(let share): share.start
        case .split(let split): split.proposedEnd
        }
    }
}

/// The bytes that one connection fetches: `start..<end`, never empty.
public struct SegmentShare: Hashable, Sendable {
    public let connection: ConnectionID
    public let start: Int64
    /// One past the last byte. A later ``ShareSplit`` may lower it.
    public let end: Int64
}

/// A wish to take the rest of a connection's share for an idle one, until the victim's writer has answered.
///
/// Only ``SegmentPlan/nextShare(for:leastShare:lead:mostShare:)`` makes one, and ``SegmentPlan/finish(_:victimEnd:)``
/// takes each but once: a second answer, or one that comes after the victim was released, changes nothing.
public struct ShareSplit: Hashable, Sendable {
    /// The connection that gives bytes away.
    public let victim: ConnectionID
    /// The connection that gets them.
    public let requester: ConnectionID
    /// Where the victim is asked to stop.
    public let proposedEnd: Int64
    /// One past the last byte that the thief asks for. Bytes of the victim's share behind it are missing then.
    public let end: Int64
    /// Identifies this steal within its plan.
    let number: Int
}
