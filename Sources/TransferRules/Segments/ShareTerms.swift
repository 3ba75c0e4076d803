import Core

/// Decides how an idle connection shares the remaining bytes of another one.
public struct ShareTerms: Hashable, Sendable {
    /// The average rate of the working connections, in bytes per second; nil if unknown.
    private let rate: Double?
    private let roundTrip: Duration
    /// Whether the idle connection is open and its congestion window is fully grown.
    private let isOpen: Bool
    /// The minimum size of each part of a divided share, in bytes.
    public let leastShare: Int64

    /// The minimum size of a part: writes are buffered and aligned.
    private static let usualShare: Int64 = 64 << 10
    /// The same if a round trip transfers more than ``usualShare``: the first packets of a new connection. An open
    /// connection then transfers the rest sooner.
    private static let smallestShare: Int64 = 8 << 10

    /// - Parameters:
    ///   - rate: The average rate of the working connections, in bytes per second; nil or not positive if unknown.
    ///   - isOpen: Whether the idle connection is open and its congestion window is fully grown.
    ///   - minimum: The minimum size of a part while the rate is unknown.
    public init(rate: Double?, roundTrip: Duration, isOpen: Bool, minimum: Int64) {
        self.rate = rate.flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
        self.roundTrip = roundTrip
        self.isOpen = isOpen
        let window = self.rate.map { ConnectionPace.bytes(in: roundTrip, at: $0) }
        leastShare =
            window.map { $0 > Self.usualShare ? Self.smallestShare : Self.usualShare }
            ?? max(minimum, Self.usualShare)
    }

    /// The start of the response to a request that the idle connection sends now. A new connection takes a round trip
    /// for its handshake first.
    public func start(at now: Duration) -> ResponseStart {
        ResponseStart(firstByteAt: now + roundTrip * (isOpen ? 1 : 2), isFresh: !isOpen)
    }

    /// The division after which both connections are expected to end at the same time.
    ///
    /// - Parameter victim: The start of the response that brings the bytes now; nil if its slow start is over.
    /// - Returns: nil if that time is not earlier enough than the end of the undivided share to be worth a request.
    public func division(of remaining: Int64, from victim: ResponseStart?, at now: Duration) -> ShareDivision? {
        guard let rate else { return ShareDivision(halving: remaining) }
        guard remaining / 2 >= leastShare else { return nil }
        let victim = ResponseForecast(rate: rate, roundTrip: roundTrip, start: victim, at: now)
        let requester = ResponseForecast(rate: rate, roundTrip: roundTrip, start: start(at: now), at: now)
        var (retained, most) = (leastShare, remaining - leastShare)
        while retained < most {
            let middle = retained + (most - retained) / 2
            let isEarlier = victim.duration(of: middle) < requester.duration(of: remaining - middle)
            if isEarlier { retained = middle + 1 } else { most = middle }
        }
        let undivided = victim.duration(of: remaining)
        let divided = max(victim.duration(of: retained), requester.duration(of: remaining - retained))
        guard undivided - divided >= leastGain.inSeconds else { return nil }
        return ShareDivision(retained: retained, urgency: undivided)
    }

    /// The minimum time by which a request must shorten a share. For a new connection it is longer: the next connection
    /// to become idle probably begins sooner.
    private var leastGain: Duration { (isOpen ? roundTrip / 2 : roundTrip * 2) + .milliseconds(10) }
}

/// How many bytes of its share a connection keeps.
public struct ShareDivision: Hashable, Sendable {
    /// The bytes that the connection keeps, before they are rounded and limited.
    public let retained: Int64
    /// The share with the highest value is divided first: the one that would end last.
    public let urgency: Double

    public init(retained: Int64, urgency: Double) {
        self.retained = retained
        self.urgency = urgency
    }

    /// The division of equally fast connections: the largest rest is divided first.
    public init(halving remaining: Int64) {
        self.init(retained: remaining / 2, urgency: Double(remaining))
    }
}
