/// How long to wait until the connections of a download are reviewed again: whether to open, close or replace one.
///
/// A review is worth its cost only while it may change something, or while it may shorten the download noticeably.
public enum ReviewInterval {
    /// The intervals after a change of the number of connections, by the time since that change.
    private static let early: [(interval: Duration, upTo: Duration)] = [
        (.milliseconds(1), .milliseconds(50)), (.milliseconds(4), .milliseconds(500)),
    ]
    /// Shorter round trips are over before an interval matters.
    private static let longRoundTrip = Duration.milliseconds(30)
    /// The interval once the number of connections has settled.
    public static let usual = Duration.milliseconds(100)
    /// The interval in the last second, in which connections end and others divide what is left.
    public static let last = Duration.milliseconds(10)
    private static let lastTime = Duration.seconds(1)
    /// The longest interval: other downloads may wait for a connection of this one.
    public static let longest = Duration.seconds(1)

    /// - Parameters:
    ///   - age: The time since the desired number of connections last changed.
    ///   - timeLeft: The expected time until the end of the download; nil if it is unknown. A settled download is
    ///     reviewed a hundred times in it, a new one ten thousand times.
    ///   - roundTrip: That of connections whose first bytes are awaited; nil if there are none. Their arrival decides
    ///     about further ones, and over a long round trip the expected time says nothing yet: TCP starts slowly.
    public static func next(
        sinceChange age: Duration,
        timeLeft: Duration?,
        awaiting roundTrip: Duration? = nil
    ) -> Duration {
        guard let early = early.first(where: { age < $0.upTo }) else {
            if let timeLeft, timeLeft < lastTime { return last }
            return min(max(usual, (timeLeft ?? .zero) / 100), longest)
        }
        let longest = roundTrip.map { $0 < longRoundTrip ? usual : min($0 / 8, usual) } ?? usual
        return max(early.interval, min((timeLeft ?? .zero) / 10_000, longest))
    }
}
