import Core

/// Decides from a connection's rate whether to share its work or to replace the connection.
public enum ConnectionPace {
    /// The shortest useful measurement: bytes arrive in bursts.
    public static let leastAge = Duration.milliseconds(100)
    /// The shortest time over which a connection's rate is measured.
    public static let window: Duration = .seconds(2)
    /// The minimum size of a share in bytes, at any rate: writes are buffered and aligned.
    public static let smallestShare: Int64 = 64 << 10

    /// The minimum size of each part of a split share, in bytes: what a connection transfers in half a round trip plus
    /// 10 ms. For a smaller part a new request would save no time.
    ///
    /// - Parameters:
    ///   - rate: The average rate of the working connections, in bytes per second; nil or not positive if unknown.
    ///   - minimum: The result while the rate is unknown.
    public static func leastShare(rate: Double?, roundTrip: Duration, minimum: Int64 = 4 << 20) -> Int64 {
        guard let rate, rate > 0 else { return max(minimum, smallestShare) }
        return max(bytes(in: roundTrip / 2 + .milliseconds(10), at: rate), smallestShare)
    }

    /// The time that a connection loses with a new request, measured as time without transfer followed by the full
    /// rate.
    ///
    /// A response takes one round trip. A new connection needs another one and starts with ten packets, which double
    /// with each round trip (RFC 6928; RFC 5681, section 3.1).
    ///
    /// - Parameters:
    ///   - rate: As for ``leastShare(rate:roundTrip:minimum:)``.
    ///   - isOpen: Whether the connection is open and its congestion window is fully grown.
    public static func delay(rate: Double?, roundTrip: Duration, isOpen: Bool) -> Duration {
        guard !isOpen else { return roundTrip }
        let windows = (rate ?? 0) * roundTrip.inSeconds / firstWindow
        // The round trips of the slow start together transfer about one full window.
        let doublings = windows >= 2 && windows.isFinite ? Int(windows.exponent) : 1
        return roundTrip * (1 + doublings)
    }

    /// The initial congestion window of a new connection, in bytes.
    private static let firstWindow = 14_600.0

    /// The number of bytes transferred in `time`, which may be negative; 0 if the rate is unknown.
    public static func bytes(in time: Duration, at rate: Double?) -> Int64 {
        guard let rate, rate > 0 else { return 0 }
        let most = Double(1 << 62)
        return Int64(min(max(rate * time.inSeconds, -most), most))
    }

    /// How long a connection may transfer nothing while others transfer.
    public static func longestSilence(roundTrip: Duration) -> Duration { max(window, roundTrip * 8) }

    /// Whether a connection should give up its share and be replaced by a new one.
    ///
    /// - Parameters:
    ///   - rate: The rate over the last ``window``, in bytes per second; nil if the connection is younger.
    ///   - fellowsMedian: The median rate of the download's other connections; nil if there are none. If they transfer
    ///     nothing either, this connection is not the cause.
    ///   - silence: The time since its last byte, or since its request.
    public static func isSlow(rate: Double?, fellowsMedian: Double?, silence: Duration, roundTrip: Duration) -> Bool {
        guard let fellowsMedian, fellowsMedian > 0 else { return false }
        if silence >= longestSilence(roundTrip: roundTrip) { return true }
        guard let rate else { return false }
        return rate < fellowsMedian / 10
    }

    /// The median of the rates; nil if there are none.
    public static func median(_ rates: [Double]) -> Double? {
        guard !rates.isEmpty else { return nil }
        let sorted = rates.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}

/// A connection of a download. The number is unique within the download.
public struct ConnectionID: Hashable, Sendable {
    public let number: Int

    public init(_ number: Int) {
        self.number = number
    }
}
