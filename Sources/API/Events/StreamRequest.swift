public import Core

/// The parameters of an event stream.
public struct StreamRequest: Sendable {
    public var filter: EventFilter
    /// Whether the stream reports progress.
    public var hasProgress: Bool
    /// Whether the progress contains the segments of the download.
    public var hasSegments: Bool
    /// The last event that the client saw; nil for a new client.
    public var lastEvent: Int64?
    /// Whether a new client first gets a snapshot.
    public var hasSnapshot: Bool
    /// The download that the stream reports. Its end also ends the stream.
    public var subject: DownloadID?
    /// The stream ends after this many events.
    public var maxEvents: Int?
    /// The stream ends after this time.
    public var maxLife: Duration?
    /// The caller for the limit per caller; nil if only the total limit applies.
    public var caller: String?

    public init(
        filter: EventFilter = EventFilter(),
        hasProgress: Bool = true,
        hasSegments: Bool = false,
        lastEvent: Int64? = nil,
        hasSnapshot: Bool = true,
        subject: DownloadID? = nil,
        maxEvents: Int? = nil,
        maxLife: Duration? = nil,
        caller: String? = nil
    ) {
        self.filter = filter
        self.hasProgress = hasProgress
        self.hasSegments = hasSegments
        self.lastEvent = lastEvent
        self.hasSnapshot = hasSnapshot
        self.subject = subject
        self.maxEvents = maxEvents
        self.maxLife = maxLife
        self.caller = caller
    }

    /// The filter for reads of the log. The stream of one download reads all its events, to recognize its end.
    var reading: EventFilter {
        guard subject != nil else { return filter }
        var reading = filter
        reading.types = nil
        return reading
    }
}
