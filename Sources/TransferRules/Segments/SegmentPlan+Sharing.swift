extension SegmentPlan {
    /// Finds work for an idle connection: the first missing bytes without a connection, otherwise the end of the
    /// remainder of another connection, about the second half of the largest if `division` is not given.
    ///
    /// - Parameters:
    ///   - connection: The idle connection. If it has written its whole share, the call releases that share.
    ///   - leastShare: The minimum number of bytes in each part of a split remainder.
    ///   - mostShare: The approximate maximum of bytes that the connection requests and that its victim keeps. Later
    ///     connections get the bytes after them, without interrupting its response.
    ///   - division: How the remaining bytes of a victim would be divided; nil if a request for some of them is not
    ///     worth it.
    /// - Returns: nil if no share is worth a request, or if the connection still has bytes to fetch or a split to wait
    ///   for.
    public mutating func nextShare(
        for connection: ConnectionID,
        leastShare: Int64,
        mostShare: Int64 = .max,
        division: (ConnectionID, Int64) -> ShareDivision? = { ShareDivision(halving: $1) }
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
        return proposeSplit(for: connection, max(leastShare, 1), max(mostShare, 1), division).map { .split($0) }
    }

    /// Assigns the bytes of a gap, or the first of them, to the connection.
    private mutating func assign(_ gap: Int, to connection: ConnectionID, mostShare: Int64) {
        planned[gap].connection = connection
        let (start, end) = (planned[gap].writtenEnd, planned[gap].end)
        let cut = partEnd(from: start, within: end, mostShare: max(mostShare, 1))
        guard cut < end else { return }
        planned[gap].end = cut
        planned.insert(.missing(cut..<end, index: makeIndex(), for: nil), at: gap + 1)
    }

    /// The end of a share of about `mostShare` bytes that begins at `start`. It leaves no small remainder.
    private func partEnd(from start: Int64, within end: Int64, mostShare: Int64) -> Int64 {
        let cut = start.addingReportingOverflow(mostShare).partialValue
        guard end - start > mostShare, end - cut > mostShare / 2 else { return end }
        let (above, isTooFar) = cut.addingReportingOverflow((splitMultiple - cut % splitMultiple) % splitMultiple)
        return isTooFar ? end : min(above, end)
    }

    /// Proposes the most urgent split: from the victim that would otherwise finish last.
    private mutating func proposeSplit(
        for requester: ConnectionID,
        _ leastShare: Int64,
        _ mostShare: Int64,
        _ division: (ConnectionID, Int64) -> ShareDivision?
    ) -> ShareSplit? {
        var best: (victim: ConnectionID, urgency: Double, cut: Int64, end: Int64)?
        for segment in planned where segment.remaining > 0 {
            guard let victim = segment.connection, !splits.contains(where: { $0.split.victim == victim }) else {
                continue
            }
            guard let division = division(victim, segment.remaining), division.urgency > best?.urgency ?? 0,
                let cut = cut(of: segment, division.retained, leastShare, mostShare)
            else { continue }
            best = (victim, division.urgency, cut, partEnd(from: cut, within: segment.end, mostShare: mostShare))
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

    /// The multiple of ``splitMultiple`` that leaves the victim about `retained` bytes; nil if a part is too small.
    private func cut(of segment: PlannedSegment, _ retained: Int64, _ leastShare: Int64, _ mostShare: Int64) -> Int64? {
        let retained = min(max(retained, leastShare), mostShare)
        let ideal = segment.writtenEnd + min(retained, segment.remaining)
        let offset = ideal % splitMultiple
        let (below, above) = (ideal - offset, ideal.addingReportingOverflow(splitMultiple - offset))
        let candidates = above.overflow ? [below] : [below, above.partialValue]
        let fits = candidates.filter { cut in
            cut - segment.writtenEnd >= leastShare && cut < segment.end && segment.end - cut >= leastShare
        }
        return fits.min { abs($0 - ideal) < abs($1 - ideal) }
    }

    /// Cancels a split: the victim keeps its whole share and may be split again.
    public mutating func abandon(_ split: ShareSplit) {
        splits.removeAll { $0.split == split }
    }

    /// Whether a split is still pending and its victim still has the share.
    public func awaits(_ split: ShareSplit) -> Bool {
        splits.contains { $0.split == split } && place(of: split.victim) != nil
    }

    /// Completes a split with the reply of the victim's writer.
    ///
    /// - Parameter victimEnd: The end that the victim's writer now uses: the proposed one, or a later one if the writer
    ///   is already past it. The end of the victim's share means that it gives up nothing. An earlier end counts as the
    ///   proposed one: the bytes in between become missing when the victim is released.
    /// - Returns: The share of the requester; nil if no bytes are left, or if the victim or the requester was released
    ///   before. An idle requester then calls `nextShare` again.
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

    /// Extends the share of a connection that has written all of it by the missing bytes that follow, if no connection
    /// fetches them. The response may contain these bytes too.
    ///
    /// - Parameters:
    ///   - limit: One past the last byte in the connection's response.
    ///   - mostShare: The approximate maximum of bytes in the extension.
    /// - Returns: One past the last byte that the connection may now write; nil if it must stop.
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

    /// Takes the share from a connection that has stopped writing. The written bytes stay; the others become missing.
    ///
    /// Call it after the connection's last ``advance(_:writtenTo:)``; later calls are ignored.
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

/// The next step of an idle connection.
public enum ShareAssignment: Hashable, Sendable {
    /// Fetch these bytes. They belong to the connection until it is released.
    case fetch(SegmentShare)
    /// Tell the victim's writer to stop at ``ShareSplit/proposedEnd``, and complete the split with its reply.
    case split(ShareSplit)

    /// The first byte to request.
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
    /// One past the last byte. A later ``ShareSplit`` may reduce it.
    public let end: Int64
}

/// A proposal to take the end of a connection's share for an idle one, until the victim's writer has replied.
///
/// Only ``SegmentPlan/nextShare(for:leastShare:mostShare:division:)`` creates one, and
/// ``SegmentPlan/finish(_:victimEnd:)`` accepts each only once: a second reply, or a reply after the victim was
/// released, has no effect.
public struct ShareSplit: Hashable, Sendable {
    /// The connection that loses bytes.
    public let victim: ConnectionID
    /// The connection that gets the bytes.
    public let requester: ConnectionID
    /// The position at which the victim should stop.
    public let proposedEnd: Int64
    /// One past the last byte for the requester. Bytes of the victim's share after it become missing.
    public let end: Int64
    /// Identifies the split within its plan.
    let number: Int
}
