import Core

/// When a connection's pace makes it worth to share its work, or to replace it.
public enum ConnectionPace {
    /// A shorter measurement than this says nothing: bytes come in bursts.
    public static let leastAge = Duration.milliseconds(100)
    /// A lower bound for the time that a connection is judged over.
    public static let window: Duration = .seconds(2)
    /// No share is smaller, however slow its connection: writes are gathered and aligned.
    public static let smallestShare: Int64 = 64 << 10

    /// The least that each part of a split share must have, in bytes: what a connection brings in half a round trip and
    /// 10 ms. Less would hardly be there sooner by asking anew.
    ///
    /// - Parameters:
    ///   - rate: Of the connections that work, on average, in bytes per second; nil or not positive when unknown.
    ///   - minimum: The answer while the rate is unknown.
    public static func leastShare(rate: Double?, roundTrip: Duration, minimum: Int64 = 4 << 20) -> Int64 {
        guard let rate, rate > 0 else { return max(minimum, smallestShare) }
        return max(bytes(in: roundTrip / 2 + .milliseconds(10), at: rate), smallestShare)
    }

    /// The time that a connection loses when it asks, as if it brought nothing before and its full rate afterwards.
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
        // All doublings together bring about one full window.
        let doublings = windows >= 2 && windows.isFinite ? Int(windows.exponent) : 1
        return roundTrip * (1 + doublings)
    }

    /// What a new connection may have on the way, in bytes.
    private static let firstWindow = 14_600.0

    /// The bytes of a time, which may be negative, at a rate; 0 while that is unknown.
    public static func bytes(in time: Duration, at rate: Double?) -> Int64 {
        guard let rate, rate > 0 else { return 0 }
        let most = Double(1 << 62)
        return Int64(min(max(rate * time.inSeconds, -most), most))
    }

    /// How long nothing may come of a connection while others bring bytes.
    public static func longestSilence(roundTrip: Duration) -> Duration { max(window, roundTrip * 8) }

    /// Whether a connection is to give its share back and be opened anew.
    ///
    /// - Parameters:
    ///   - rate: In bytes per second over the last ``window``; nil where it has not worked for so long.
    ///   - fellowsMedian: The median rate of the download's other connections; nil without any. While they bring
    ///     nothing either, the fault is not the connection's.
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

/// One of the connections that fetch a file's segments; told apart within its download alone.
public struct ConnectionID: Hashable, Sendable {
    public let number: Int

    public init(_ number: Int) {
        self.number = number
    }
}
