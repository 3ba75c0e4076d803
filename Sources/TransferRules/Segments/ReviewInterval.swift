/// How long to wait until the connections of a download are reviewed again: whether to open, close or replace one.
///
/// A review is worth its cost only while it may change something, or while it may shorten the download noticeably.
public enum ReviewInterval {
    /// The intervals after a change of the number of connections, by the time since that change.
    private static let early: [(interval: Duration, upTo: Duration)] = [
        (.milliseconds(1), .milliseconds(50)), (.milliseconds(4), .milliseconds(500)),
    ]
    /// The interval once the number of connections has settled.
    public static let usual = Duration.milliseconds(100)
    /// The longest interval: other downloads may wait for a connection of this one.
    public static let longest = Duration.seconds(1)

    /// - Parameters:
    ///   - age: The time since the desired number of connections last changed.
    ///   - timeLeft: The expected time until the end of the download; nil if it is unknown. A settled download is
    ///     reviewed a hundred times in it, a new one ten thousand times.
    public static func next(sinceChange age: Duration, timeLeft: Duration?) -> Duration {
        guard let early = early.first(where: { age < $0.upTo }) else {
            return min(max(usual, (timeLeft ?? .zero) / 100), longest)
        }
        return min(max(early.interval, (timeLeft ?? .zero) / 10_000), usual)
    }
}
