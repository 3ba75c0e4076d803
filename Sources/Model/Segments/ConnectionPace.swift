/// When a connection's pace makes it worth to share its work, or to replace it.
public enum ConnectionPace {
    /// A shorter measurement than this says nothing: bytes come in bursts.
    public static let leastAge = Duration.milliseconds(100)
    /// A lower bound for the time that a connection is judged over.
    public static let window: Duration = .seconds(2)
    /// No share is smaller, however slow its connection: writes are gathered and aligned.
    public static let smallestShare: Int64 = 64 << 10

    /// The least that each half of a split share must have, in bytes: what a connection that would have been done
    /// within four latencies and 20 ms has left is fetched sooner by itself than by asking anew.
    ///
    /// - Parameters:
    ///   - rate: Of the connections that work, on average, in bytes per second; nil or not positive when unknown.
    ///   - minimum: The answer while the rate is unknown.
    public static func leastShare(rate: Double?, latency: Duration, minimum: Int64 = 4 << 20) -> Int64 {
        guard let rate, rate > 0 else { return max(minimum, smallestShare) }
        let half = rate * (latency * 4 + .milliseconds(20)).inSeconds / 2
        return half < Double(Int64.max) ? max(Int64(half), smallestShare) : .max
    }

    /// Whether a connection is to give its share back and be opened anew.
    ///
    /// - Parameters:
    ///   - rate: In bytes per second over the last ``window``; nil where it has not worked for so long.
    ///   - fellowsMedian: The median rate of the download's other connections; nil without any. While they bring
    ///     nothing either, the fault is not the connection's.
    ///   - silence: The time since its last byte, or since its request.
    public static func isSlow(rate: Double?, fellowsMedian: Double?, silence: Duration, latency: Duration) -> Bool {
        guard let fellowsMedian, fellowsMedian > 0 else { return false }
        if silence >= max(window, latency * 8) { return true }
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
