import Core
import Testing
import TransferRules

extension SegmentPlan {
    /// The bytes that an idle connection is given; nil where it has to steal them, or where there are none.
    mutating func fetch(_ connection: ConnectionID) -> Range<Int64>? {
        guard case .fetch(let share)? = nextShare(for: connection, leastShare: 1) else { return nil }
        return share.start..<share.end
    }

    /// The steal that an idle connection is to try.
    mutating func steal(for connection: ConnectionID) throws -> Steal {
        let next = nextShare(for: connection, leastShare: 1)
        return try #require(next?.steal)
    }
}

extension NextShare {
    var steal: Steal? {
        guard case .steal(let steal) = self else { return nil }
        return steal
    }
}
