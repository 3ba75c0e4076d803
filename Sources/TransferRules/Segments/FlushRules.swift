import Core

/// Limits the bytes of a download that are written but not recorded. A crash loses at most these bytes.
public enum FlushRules {
    /// The longest time whose bytes may be unrecorded.
    public static let longest = Duration.seconds(1)
    /// The most bytes of that time. The kernel delays writes if too much memory waits for the disk.
    public static let mostBytes: Int64 = 256 << 20

    /// The number of unrecorded bytes at which the connections wait for the flush: two windows, or what the download
    /// transfers in ``longest`` if that is more. A disk that is slow now and then thus stops no fast transfer.
    ///
    /// - Parameters:
    ///   - window: The number of bytes after which a flush begins.
    ///   - rate: The rate of the download, in bytes per second; nil if unknown.
    public static func limit(window: Int64, rate: Double?) -> Int64 {
        max(2 * window, min(ConnectionPace.bytes(in: longest, at: rate), mostBytes))
    }

    /// The number of groups in which downloads are flushed in turn. Downloads of a group share their commits.
    public static let groups = 10

    /// The group whose turn it is at `instant`. Each group has a turn once in each interval.
    public static func turn(at instant: Duration, interval: Duration) -> Int {
        Int(instant.wholeMilliseconds / step(of: interval))
    }

    /// The time from `instant` to the next turn.
    public static func delay(at instant: Duration, interval: Duration) -> Duration {
        let next = Int64(turn(at: instant, interval: interval) + 1) * step(of: interval)
        return .milliseconds(next) - instant
    }

    /// The time between two turns, in whole milliseconds: a quotient of two durations is not exact.
    private static func step(of interval: Duration) -> Int64 {
        max(interval.wholeMilliseconds / Int64(groups), 1)
    }
}
