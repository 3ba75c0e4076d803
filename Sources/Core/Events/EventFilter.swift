/// The filter of a read of the event log.
public struct EventFilter: Hashable, Sendable {
    /// The types to include; nil means all.
    public var types: Set<EventType>?
    /// Include only the events of this session and of its downloads.
    public var session: SessionName?
    public var download: DownloadID?

    public init(types: Set<EventType>? = nil, session: SessionName? = nil, download: DownloadID? = nil) {
        self.types = types
        self.session = session
        self.download = download
    }

    public func includes(_ event: LoggedEvent) -> Bool {
        if let types, !types.contains(event.type) { return false }
        return concerns(download: event.download, of: event.session)
    }

    /// Whether download and session match, regardless of the type.
    public func concerns(download id: DownloadID?, of name: SessionName?) -> Bool {
        if let download, download != id { return false }
        if let session, session != name { return false }
        return true
    }
}

/// The range of the stored events. No event within it was purged.
public struct EventWindow: Hashable, Sendable {
    /// The number of the oldest stored event; nil if there was none yet.
    public let oldest: Int64?
    /// The number of the newest event; 0 if there was none yet.
    public let newest: Int64

    public init(oldest: Int64?, newest: Int64) {
        self.oldest = oldest
        self.newest = newest
    }

    /// Whether every event after `sequence` is stored. A number that is above the newest one belongs to another log,
    /// for example the one before a restore from a backup.
    public func holdsAll(after sequence: Int64) -> Bool {
        sequence >= (oldest ?? 1) - 1 && sequence <= newest
    }
}

/// The result of one read of the log.
public struct EventPage: Hashable, Sendable {
    public let window: EventWindow
    /// The events that match the filter, in the order of their numbers.
    public let events: [LoggedEvent]
    /// The cursor of the next page: the last event that was read, whether it matched or not.
    public let last: Int64

    /// Whether the read reached the end of the log, regardless of the number of events.
    public var isAtEnd: Bool { last >= window.newest }

    public init(window: EventWindow, events: [LoggedEvent], last: Int64) {
        self.window = window
        self.events = events
        self.last = last
    }
}
