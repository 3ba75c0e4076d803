/// What a stream reports.
public enum StreamItem: Hashable, Sendable {
    /// Downloads that have not ended, at the start of a stream. `isLast` says whether the snapshot is complete.
    case snapshot([Download], isLast: Bool)
    case event(Event)
    /// The progress of a running download.
    case progress(Reading)
    /// The log no longer has what followed the last event that was seen: discard all state. A snapshot follows.
    case reset
    /// The download of the stream has ended.
    case end

    /// The progress of a transfer.
    public struct Reading: Hashable, Sendable, Decodable {
        /// The id of the download.
        public var id: String
        public var session: String?
        public var phase: String?
        public var progress: Download.Progress
        /// The ranges of the file, if the stream was asked for them.
        public var segments: [Segment]?
    }
}
