/// The rate limit of a webhook: the generic cell rate algorithm (ITU-T I.371, annex A) with a burst of one second.
///
/// Its only state is one instant, so that a limit holds over restarts.
public struct DeliveryRate: Hashable, Sendable {
    /// The theoretical arrival time, in microseconds since 1970: from then on a full burst may be sent.
    public private(set) var theoreticalArrival: Int64
    /// The time of one delivery, in microseconds. It is rounded up, so that the limit is never exceeded.
    private let increment: Int64
    private let burst: Int64
    /// Tolerance for a clock that is corrected by less than a second.
    private static let slack: Int64 = 1_000_000

    /// - Parameters:
    ///   - perSecond: The limit, which is positive.
    ///   - theoreticalArrival: nil if nothing was sent yet.
    public init(perSecond: Int, theoreticalArrival: Int64?) {
        increment = (1_000_000 + Int64(perSecond) - 1) / Int64(perSecond)
        burst = increment * Int64(perSecond)
        self.theoreticalArrival = theoreticalArrival ?? .min
    }

    /// The number of deliveries that may be sent now.
    public func credit(at now: Timestamp) -> Int {
        let now = now.microseconds
        return max(Int((now + burst - arrival(at: now)) / increment), 0)
    }

    /// Counts deliveries that are sent now.
    public mutating func send(_ count: Int, at now: Timestamp) {
        theoreticalArrival = arrival(at: now.microseconds) + Int64(count) * increment
    }

    /// The next instant at which a delivery may be sent, rounded up to whole milliseconds.
    ///
    /// - Parameter sent: How many are sent now.
    public func next(at now: Timestamp, after sent: Int = 0) -> Timestamp {
        let earliest = arrival(at: now.microseconds) + Int64(sent + 1) * increment - burst
        return max(now, Timestamp(milliseconds: (earliest + 999) / 1000))
    }

    /// The recorded instant is at most a burst ahead. If it is further ahead, the clock was set back.
    private func arrival(at now: Int64) -> Int64 {
        theoreticalArrival > now + burst + Self.slack ? now : max(theoreticalArrival, now)
    }
}

extension Timestamp {
    fileprivate var microseconds: Int64 { milliseconds * 1000 }
}
