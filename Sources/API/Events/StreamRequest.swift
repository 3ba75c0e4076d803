public import Core

/// What a client asks of a stream.
public struct StreamRequest: Sendable {
    public var filter: EventFilter
    /// Whether it gets progress.
    public var hasProgress: Bool
    /// The last event that the client saw; nil for a new client.
    public var lastEvent: Int64?
    /// Whether a new client gets a snapshot.
    public var hasSnapshot: Bool
    /// The download with whose end the stream ends.
    public var subject: DownloadID?
    /// The stream ends after this many events.
    public var maxEvents: Int?
    /// After so long it ends.
    public var maxLife: Duration?
    /// The caller whose streams are counted together; nil for only the total count.
    public var caller: String?

    public init(
        filter: EventFilter = EventFilter(),
        hasProgress: Bool = true,
        lastEvent: Int64? = nil,
        hasSnapshot: Bool = true,
        subject: DownloadID? = nil,
        maxEvents: Int? = nil,
        maxLife: Duration? = nil,
        caller: String? = nil
    ) {
        self.filter = filter
        self.hasProgress = hasProgress
        self.lastEvent = lastEvent
        self.hasSnapshot = hasSnapshot
        self.subject = subject
        self.maxEvents = maxEvents
        self.maxLife = maxLife
        self.caller = caller
    }

    /// The filter by which the log is read. A stream of one download reads all its events, so that it knows its end.
    var reading: EventFilter {
        guard subject != nil else { return filter }
        var reading = filter
        reading.types = nil
        return reading
    }
}

/// What streams of events may take.
public struct StreamSettings: Hashable, Sendable {
    /// Open at once, of all callers together.
    public var limit: Int
    /// Open at once, of one caller.
    public var limitPerCaller: Int
    /// How many may wait for a download to change at once: each holds a connection.
    public var waiterLimit: Int
    /// The time without an event after which a comment is sent.
    public var heartbeat: Duration
    /// The longest that a stream stays open. A client that opens it again is authorized again.
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
