/// What streams of events may take.
public struct StreamSettings: Hashable, Sendable {
    /// Open at once, of all callers together.
    public var limit: Int
    /// Open at once, of one caller.
    public var limitPerCaller: Int
    /// How many may wait for a download to change at once: each holds a connection.
    public var waiterLimit: Int
    /// After so long without anything to tell a comment is sent.
    public var heartbeat: Duration
    /// A stream ends after so long at the most: whoever opened it shows again that it may.
    public var longest: Duration

    public init(
        limit: Int = 1000,
        limitPerCaller: Int = 16,
        waiterLimit: Int = 1000,
        heartbeat: Duration = .seconds(15),
        longest: Duration = .seconds(3600)
    ) {
        self.limit = limit
        self.limitPerCaller = limitPerCaller
        self.waiterLimit = waiterLimit
        self.heartbeat = heartbeat
        self.longest = longest
    }
}
