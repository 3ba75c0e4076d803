/// Which events of the log are shown.
public struct EventFilter: Hashable, Sendable {
    /// Any of these; nil for all.
    public var types: Set<EventType>?
    /// Those of this session and of its downloads.
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

    /// Whether it is about such a download, whatever happened to it.
    public func concerns(download id: DownloadID?, of name: SessionName?) -> Bool {
        if let download, download != id { return false }
        if let session, session != name { return false }
        return true
    }
}

/// Names types of events: one of them, all of a family (`download.*`), or all (`*`).
public struct EventPattern: Hashable, Sendable {
    /// The type of what streams tell of a transfer, which is no event of the log.
    public static let progress = "download.progress"

    private static let words = EventType.allCases.map(\.rawValue) + [progress]

    public let text: String

    /// - Returns: nil where no type is meant.
    public init?(_ text: String) {
        self.text = text
        guard Self.words.contains(where: includes) else { return nil }
    }

    /// The types of the log that it means.
    public var types: Set<EventType> { Set(EventType.allCases.filter { includes($0.rawValue) }) }

    public var includesProgress: Bool { includes(Self.progress) }

    private func includes(_ word: String) -> Bool {
        if text == "*" || text == word { return true }
        return text.hasSuffix(".*") && word.hasPrefix(text.dropLast())
    }
}

/// The events that are kept: none between the first and the last of them was purged.
public struct EventWindow: Hashable, Sendable {
    /// The number of the oldest one; nil before there was any.
    public let oldest: Int64?
    /// The number of the newest one; 0 before there was any.
    public let newest: Int64

    public init(oldest: Int64?, newest: Int64) {
        self.oldest = oldest
        self.newest = newest
    }

    /// Whether every event after `sequence` is kept. A number that none had yet belongs to another log, such as the one
    /// before a backup took its place.
    public func holdsAll(after sequence: Int64) -> Bool {
        sequence >= (oldest ?? 1) - 1 && sequence <= newest
    }
}

/// A look into the log.
public struct EventPage: Hashable, Sendable {
    public let window: EventWindow
    /// In the order of their numbers.
    public let events: [LoggedEvent]
    /// What the next page begins after: the last event that was looked at, shown or not.
    public let last: Int64

    /// Whether no event follows it, however many it shows.
    public var isAtEnd: Bool { last >= window.newest }

    public init(window: EventWindow, events: [LoggedEvent], last: Int64) {
        self.window = window
        self.events = events
        self.last = last
    }
}
