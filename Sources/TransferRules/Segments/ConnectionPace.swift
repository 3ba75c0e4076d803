import Core

/// Decides from a connection's rate whether to replace the connection.
public enum ConnectionPace {
    /// The shortest useful measurement: bytes arrive in bursts.
    public static let leastAge = Duration.milliseconds(100)
    /// The shortest time over which a connection's rate is measured.
    public static let window: Duration = .seconds(2)

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
