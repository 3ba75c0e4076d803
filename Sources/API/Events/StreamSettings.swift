import Core

/// Limits and intervals of event streams.
public struct StreamSettings: Hashable, Sendable {
    /// The maximum number of open streams, of all callers together.
    public var limit: Int
    /// The maximum number of open streams per caller.
    public var limitPerCaller: Int
    /// The maximum number of long polls at once. Each occupies a connection.
    public var waiterLimit: Int
    /// The time without an event after which a heartbeat comment is sent.
    public var heartbeat: Duration
    /// The maximum lifetime of a stream. A client that opens it again is authorized again.
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
