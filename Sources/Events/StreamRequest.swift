public import Model

/// What a client asks of a stream.
public struct StreamRequest: Sendable {
    public var filter: EventFilter
    /// Whether it is told how far transfers are.
    public var hasProgress: Bool
    /// The last event that the client saw; nil for one that begins.
    public var lastEvent: Int64?
    /// Whether one that begins is shown what the downloads are.
    public var hasSnapshot: Bool
    /// The download with whose end the stream ends.
    public var subject: DownloadID?
    /// After so many events of the log it ends.
    public var maxEvents: Int?
    /// After so long it ends.
    public var maxLife: Duration?
    /// Whose streams are counted together; nil for one that counts among all alone.
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

    /// What of the log is read for it. A stream of one download sees all of that one's, so that it knows its end.
    var reading: EventFilter {
        guard subject != nil else { return filter }
        var reading = filter
        reading.types = nil
        return reading
    }
}
