/// How soon the head of an answer came after its request, at the least.
struct AnswerTime {
    /// Over a connection that was open.
    private var open: Duration?
    /// With the making of the connection, which takes a round trip at least.
    private var fresh: Duration?

    /// Nothing was seen yet.
    init() {}

    init(_ time: Duration, isOpen: Bool) {
        if isOpen { open = time } else { fresh = time }
    }

    var roundTrip: Duration? {
        let half = fresh.map { $0 / 2 }
        return open.map { min($0, half ?? $0) } ?? half
    }

    mutating func note(_ other: Self) {
        open = Self.least(open, other.open)
        fresh = Self.least(fresh, other.fresh)
    }

    private static func least(_ lhs: Duration?, _ rhs: Duration?) -> Duration? {
        guard let lhs, let rhs else { return lhs ?? rhs }
        return min(lhs, rhs)
    }
}
