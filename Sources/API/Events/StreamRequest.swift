public import Core

/// The parameters of an event stream.
public struct StreamRequest: Sendable {
    public var filter = EventFilter()
    /// Whether the stream reports progress.
    public var hasProgress = true
    /// Whether the progress contains the segments of the download.
    public var hasSegments = false
    /// The last event that the client saw; nil for a new client.
    public var lastEvent: Int64?
    /// Whether a new client first gets a snapshot.
    public var hasSnapshot = true
    /// The download that the stream reports. Its end also ends the stream.
    public var subject: DownloadID?
    /// The stream ends after this many events.
    public var maxEvents: Int?
    /// The stream ends after this time.
    public var maxLife: Duration?
    /// The caller for the limit per caller; nil if only the total limit applies.
    public var caller: String?

    public init() {}

    /// The filter for reads of the log. The stream of one download reads all its events, to recognize its end.
    var reading: EventFilter {
        guard subject != nil else { return filter }
        var reading = filter
        reading.types = nil
        return reading
    }
}
