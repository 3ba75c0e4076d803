import Core

/// When a connection's pace makes it worth to share its work, or to replace it.
public enum ConnectionPace {
    /// A shorter measurement is useless, because bytes arrive in bursts.
    public static let leastAge = Duration.milliseconds(100)
    /// The shortest time over which a connection's rate is measured.
    public static let window: Duration = .seconds(2)
    /// No share is smaller, however slow its connection: writes are gathered and aligned.
    public static let smallestShare: Int64 = 64 << 10

    /// The fewest bytes for each part of a split share: what a connection transfers in half a round trip and 10 ms. For
    /// fewer a new request would save no time.
    ///
    /// - Parameters:
    ///   - rate: Of the connections that work, on average, in bytes per second; nil or not positive when unknown.
    ///   - minimum: The answer while the rate is unknown.
    public static func leastShare(rate: Double?, roundTrip: Duration, minimum: Int64 = 4 << 20) -> Int64 {
        guard let rate, rate > 0 else { return max(minimum, smallestShare) }
        return max(bytes(in: roundTrip / 2 + .milliseconds(10), at: rate), smallestShare)
    }

    /// The time that a connection loses by a request, if it transferred nothing before and at its full rate afterwards.
    ///
    /// The answer takes a round trip. A connection that is not open yet takes another, and begins with ten packets,
    /// which double with each round trip (RFC 6928; RFC 5681, section 3.1).
    ///
    /// - Parameters:
    ///   - rate: As for ``leastShare(rate:roundTrip:minimum:)``.
    ///   - isOpen: Whether the connection is open, and its window is as large as it gets.
    public static func delay(rate: Double?, roundTrip: Duration, isOpen: Bool) -> Duration {
        guard !isOpen else { return roundTrip }
        let windows = (rate ?? 0) * roundTrip.inSeconds / firstWindow
        // All doublings together transfer about one full window.
        let doublings = windows >= 2 && windows.isFinite ? Int(windows.exponent) : 1
        return roundTrip * (1 + doublings)
    }

    /// The initial congestion window of a new connection, in bytes.
    private static let firstWindow = 14_600.0

    /// The bytes of a time, which may be negative, at a rate; 0 while that is unknown.
    public static func bytes(in time: Duration, at rate: Double?) -> Int64 {
        guard let rate, rate > 0 else { return 0 }
        let most = Double(1 << 62)
        return Int64(min(max(rate * time.inSeconds, -most), most))
    }

    /// How long a connection may be silent while others transfer.
    public static func longestSilence(roundTrip: Duration) -> Duration { max(window, roundTrip * 8) }

    /// Whether a connection must release its share and be replaced by a new one.
    ///
    /// - Parameters:
    ///   - rate: In bytes per second over the last ``window``; nil if it has not worked that long.
    ///   - fellowsMedian: The median rate of the download's other connections; nil without any. If they transfer
    ///     nothing either, the cause is not this connection.
    ///   - silence: The time since its last byte, or since its request.
    public static func isSlow(rate: Double?, fellowsMedian: Double?, silence: Duration, roundTrip: Duration) -> Bool {
        guard let fellowsMedian, fellowsMedian > 0 else { return false }
        if silence >= longestSilence(roundTrip: roundTrip) { return true }
        guard let rate else { return false }
        return rate < fellowsMedian / 10
    }

    /// The middle of the rates, or the mean of the two in the middle; nil of none.
    public static func median(_ rates: [Double]) -> Double? {
        guard !rates.isEmpty else { return nil }
        let sorted = rates.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}

/// One of the connections of a download. The number is unique within the download.
public struct ConnectionID: Hashable, Sendable {
    public let number: Int

    public init(_ number: Int) {
        self.number = number
    }
}
